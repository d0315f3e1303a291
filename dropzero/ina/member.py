"""A host's process in an emulated network: a UDP socket and a clock for the host's side of a protocol.

python -m dropzero.ina.member PLAN NUMBER
"""

from __future__ import annotations

import json
import select
import socket
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from struct import Struct

import numpy as np

from dropzero.ina.conditions import Conditions
from dropzero.ina.folder import Folder
from dropzero.ina.frames import SWITCH_IP, place
from dropzero.ina.outcome import PATIENCE, tensors
from dropzero.ina.protocol import Host, Protocol, ProtocolError, Tensor
from dropzero.linux.buffers import set_buffers
from dropzero.simulator.kernel.links import Quality
from dropzero.softswitch.engine.wire import SECOND
from dropzero.streams import stream

BUFFER = 8 << 20
"""Bytes of packets that the kernel keeps while the process does not run."""
LONGEST = 1 << 16
START = Struct("!Q")
"""When hosts start, on the clock of time.monotonic_ns(), as the parent tells them."""
WRONG = 3
"""Exit status if the protocol's own code fails, or it stalls: the last line of the log says so."""


@dataclass(frozen=True)
class Plan:
    """What all hosts of a run know.

    Attributes:
        folder: the protocol's.
        workers, options: of the protocol.
        elements, seed, density: of the tensors.
        late: nanoseconds after which the last worker starts.
        loss: share of the packets that a host's link loses in each direction. The host drops them, because a P4
            program and BMv2's links lose none.
        out: the folder for the workers' sums.
        meeting: the Unix socket where hosts wait for each other.
    """

    folder: str
    workers: int
    options: dict[str, str]
    elements: int
    seed: int
    late: int
    density: float
    loss: float
    out: str
    meeting: str

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)))

    def tensors(self, protocol: Protocol) -> list[Tensor]:
        """All workers' tensors. Links are the parent's."""
        return tensors(protocol, self.elements, Conditions(Quality(1), self.seed, density=self.density))

    def result(self, rank: int) -> Path:
        """The file of a worker's sum."""
        return Path(self.out) / f"sum-{rank}.npz"


class Link:
    """A host's link, which loses packets at random."""

    def __init__(self, network: socket.socket, plan: Plan, number: int) -> None:
        self.network, self._loss = network, plan.loss
        self._luck = stream(plan.seed, "loss", number)

    def send(self, payloads: Iterable[bytes]) -> None:
        for payload in payloads:
            if self._luck.random() >= self._loss:
                self.network.send(payload)

    def received(self) -> Iterator[bytes]:
        """Yields the packets that are there."""
        with suppress(BlockingIOError):
            while True:
                payload = self.network.recv(LONGEST, socket.MSG_DONTWAIT)
                if self._luck.random() >= self._loss:
                    yield payload


def main(plan: Plan, number: int) -> None:
    """Runs a host. number: from 0 on, workers first. Reports at the meeting when it is there, and when it has its sum;
    answers others until the parent hangs up."""
    folder = Folder(Path(plan.folder))
    try:
        with folder.blamed():
            _run(plan, folder.protocol(plan.workers, plan.options), number)
    except ProtocolError as error:
        print(error, file=sys.stderr)
        sys.exit(WRONG)


def _run(plan: Plan, protocol: Protocol, number: int) -> None:
    worker = None
    if number < plan.workers:
        worker = protocol.worker(number, protocol.encode(plan.tensors(protocol)[number]))
    host = worker or protocol.server(number - plan.workers)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as network, socket.socket(socket.AF_UNIX) as parent:
        set_buffers(network, BUFFER, BUFFER)
        network.bind((str(place(number).ip), protocol.port))
        network.connect((str(SWITCH_IP), protocol.port))
        link = Link(network, plan, number)
        parent.connect(plan.meeting)
        if not (told := parent.recv(START.size)):
            return
        (begin,) = START.unpack(told)
        progressed = begin + plan.late
        mine = progressed if number == plan.workers - 1 else begin
        first = host.begin(mine)
        time.sleep(max(0, mine - time.monotonic_ns()) / SECOND)
        link.send(first)
        missing = worker.missing if worker else 0
        while not _listen(link, parent, host):
            if worker and worker.missing < missing:
                missing, progressed = worker.missing, time.monotonic_ns()
                if not missing:
                    times = np.array((begin, progressed))
                    np.savez(plan.result(number), total=worker.total, contributors=worker.contributors, times=times)
                    parent.sendall(bytes([number]))
            if missing and time.monotonic_ns() - progressed > PATIENCE:
                raise ProtocolError(
                    f"{missing} elements are missing, and nothing new has come for {PATIENCE // SECOND} s"
                )


def _listen(link: Link, parent: socket.socket, host: Host) -> bool:
    """Waits for packets or a timer, and handles them. Returns whether the parent has hung up."""
    deadline = host.deadline
    wait = 1.0 if deadline is None else min(1.0, max(0.0, (deadline - time.monotonic_ns()) / SECOND))
    ready, *_ = select.select([link.network, parent], [], [], wait)
    # All packets that are there, before timers go off: on a busy machine, answers may have waited for this process.
    for payload in link.received():
        link.send(host.take(time.monotonic_ns(), payload))
    link.send(host.tick(time.monotonic_ns()))
    return parent in ready


if __name__ == "__main__":
    main(Plan(**json.loads(Path(sys.argv[1]).read_text())), int(sys.argv[2]))
