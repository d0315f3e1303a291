"""`python -m lab.chaos.jobs.worker JSON`: makes a job's calls until the job should end, and records their outcomes."""

from __future__ import annotations

import faulthandler
import json
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import dropzero
from dropzero import Communicator
from dropzero.membership.client import MembershipError
from dropzero.worker.caller import Caller
from dropzero.worker.errors import Closed
from lab.chaos.jobs.calls import LATE, Array, Call, Program
from lab.chaos.jobs.records import Record, Results, note, now

BEGUN = {
    function.__code__
    for function in (
        *(Communicator._admit, Communicator._all_gather, Communicator._all_reduce, Communicator._all_reduce_many),
        *(Communicator._broadcast, Communicator._reduce_scatter, Communicator._reduce_to, Communicator._run),
        *(Communicator._gather, Communicator._scatter, Communicator._sparse_all_reduce),
        *(Communicator._waited, Caller.failed, Future.exception),
    )
}
"""Functions that run only within a collective that has begun, or that wait for one."""
LEFT = 3
"""The exit status of a worker that left with an exception, on purpose."""
LOST = 4
"""The exit status of a worker that was removed from its job, or whose call failed for good."""


@dataclass(frozen=True)
class Terms:
    """The options of one job, see dropzero.connect. seconds: approximately how long it runs."""

    size: int
    seconds: float
    straggler: float | None = None
    token: str = ""
    lanes: int = 0
    when_full: str = "refuse"
    on_loss: str = "continue"
    nonfinite: str = "propagate"


@dataclass(frozen=True)
class Duty:
    """The options of a worker. folder: for journals and results. stop: a file in it that exists when the job should
    end."""

    controller: str
    seed: int
    job: int
    terms: Terms
    folder: str
    misbehaviour: float
    rank: int = 0
    incarnation: int = 0

    @property
    def program(self) -> Program:
        return Program(self.seed, self.job, self.terms.size, self.misbehaviour)

    @property
    def journal(self) -> Path:
        return Path(self.folder) / f"{self.job}-{self.rank}-{self.incarnation}.jsonl"

    @property
    def stop(self) -> Path:
        return Path(self.folder) / f"stop-{self.job}"

    def command(self) -> list[str]:
        return [sys.executable, "-m", "lab.chaos.jobs.worker", json.dumps(asdict(self))]


class Leaving(Exception):
    """The program leaves its job early, on purpose."""


class Unusable(Exception):
    """The array cannot be reduced, on purpose."""


class Broken(np.ndarray[Any, Any]):
    """An array that looks like any other until it is used."""

    def reshape(self, *shape: Any, **options: Any) -> Any:
        raise Unusable("on purpose")


class Worker:
    """Makes the calls of one job."""

    def __init__(self, duty: Duty) -> None:
        self.duty, self.program = duty, duty.program
        self._note, self.results = partial(note, duty.journal), Results(Path(duty.folder))
        self._calling = False
        signal.signal(signal.SIGINT, self._interrupted)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self._calling and _begun(frame):
            self._calling = False
            raise KeyboardInterrupt

    def run(self) -> int:
        """Make calls until the job ends. Returns the exit status."""
        began = now()
        self._note(Record(-1, "connect", began))
        try:
            network = self._connect()
        except (MembershipError, dropzero.ProtocolError, OSError) as error:
            name, text = type(error).__name__, str(error)
            self._note(Record(-1, "connect", began, now(), error=name, text=text, last=True))
            return LOST
        self._note(Record(-1, "connect", began, now()))
        with network:
            index = 0 if network.state is None else self._entered(network)
            while True:
                call = self.program.call(index)
                time.sleep(call.pause)
                record = self._make(network, call)
                if record.last:
                    # Like a program that does not handle the error: the others lose this worker.
                    raise Leaving(record.error)
                if call.kind == "poll" and not record.error and self.results[record.digest][0][0]:
                    return 0
                index += 1

    def _connect(self) -> Communicator:
        options: dict[str, Any] = asdict(self.duty.terms)
        size, _ = options.pop("size"), options.pop("seconds")
        return dropzero.connect(self.duty.controller, self.duty.job, size, rank=self.duty.rank, elastic=True, **options)

    def _entered(self, network: Communicator) -> int:
        """Record the state received from the others. Returns the first call to make."""
        state = network.state or {}
        index, at = int(state["index"]), now()
        self._note(Record(index, "enter", at, at, digest=self.results.add([state["weights"]])))
        return index

    def _make(self, network: Communicator, call: Call) -> Record:
        duty, what = self.duty, call.misbehaviour
        arrays = self.program.inputs(call, duty.rank) if call.kind != "admit" else []
        misbehaviour = what.name if what is not None and what.rank == duty.rank else ""
        options: dict[str, Any] = {} if call.timeout is None else {"timeout": call.timeout}
        if misbehaviour == "late":
            time.sleep(LATE)
        began = now()
        self._note(Record(call.index, call.kind, began, timeout=call.timeout))
        try:
            if misbehaviour == "leave":
                raise Leaving("on purpose")
            if misbehaviour == "broken":
                arrays = [array.view(Broken) for array in arrays]
            # The interrupt may come at any point of the call, also when it has just failed.
            try:
                self._calling = True
                if what is not None and misbehaviour == "refused":
                    made = _refused(network, call, arrays, what.variant)
                else:
                    made = self._collective(network, call, arrays, options)
            finally:
                self._calling = False
        except (Exception, KeyboardInterrupt) as error:
            last = isinstance(error, Leaving | Closed | MembershipError)
            name, text = type(error).__name__, str(error)
            record = Record(call.index, call.kind, began, now(), error=name, text=text, timeout=call.timeout, last=last)
        else:
            # Newcomers may enter at any moment, so contributors mean nothing here.
            who = () if call.kind == "admit" else network.contributors
            record = Record(call.index, call.kind, began, now(), who, self.results.add(made))
        self._note(record)
        return record

    def _collective(
        self, network: Communicator, call: Call, arrays: list[Array], options: dict[str, Any]
    ) -> list[Array]:
        form = {"block": call.block, "width": call.width, **options}
        floats = {"operation": call.operation, **form}
        kinds: dict[str, Callable[[], Any]] = {
            "all_reduce": lambda: network.all_reduce(arrays[0], **floats),
            "all_reduce_many": lambda: network.all_reduce_many(arrays, **floats),
            "all_reduce_async": lambda: _all(network, arrays, options),
            "sparse_all_reduce": lambda: network.sparse_all_reduce(arrays[0], arrays[1], **form),
            "broadcast": lambda: network.broadcast(arrays[0], call.root, **options),
            "all_gather": lambda: network.all_gather(arrays[0], counts=call.counts or None, **options),
            "gather": lambda: network.gather(arrays[0], call.root, counts=call.counts or None, **options),
            "scatter": lambda: network.scatter(arrays[0], call.root, **options),
            "reduce_scatter": lambda: network.reduce_scatter(arrays[0], counts=call.counts or None, **floats),
            "reduce": lambda: network.reduce(arrays[0], call.root, **floats),
            "poll": lambda: network.all_reduce(np.array([self.duty.stop.exists()], np.int32), operation="max"),
            "barrier": lambda: network.barrier(**options),
            "admit": lambda: network.admit(self.program.state(call.index), **options),
        }
        result = kinds[call.kind]()
        if result is None:
            return []
        return [result] if isinstance(result, np.ndarray) else list(result)


def _all(network: Communicator, arrays: list[Array], options: dict[str, Any]) -> list[Array]:
    """Start all calls at once. Raises the first error when all have ended."""
    handles = [network.all_reduce_async(array, **options) for array in arrays]
    for handle in handles:
        handle.exception()
    return [handle.result() for handle in handles]


def _refused(network: Communicator, call: Call, arrays: list[Array], variant: int) -> list[Array]:
    """Make the others' collective with invalid arguments. Returns nothing."""
    some: Any = network
    array = arrays[0] if arrays else np.zeros(3, np.int32)
    of_sums: list[Callable[[], object]] = [
        lambda: some.all_reduce(array, width=5),
        lambda: some.all_reduce(array, block=33),
        lambda: some.all_reduce(array, operation="median"),
        lambda: some.all_reduce(array, out=np.zeros(array.size + 1, array.dtype)),
    ]
    ways: dict[str, list[Callable[[], object]]] = {
        "all_reduce": of_sums,
        "all_reduce_async": of_sums,
        "all_reduce_many": [*of_sums, lambda: some.all_reduce_many([array, np.zeros(2, np.int64)])],
        "reduce": [*of_sums, lambda: some.reduce(array, -1)],
        "all_gather": [lambda: some.all_gather(array, counts=[0] * (network.size + 1))],
        "gather": [lambda: some.gather(array, -1), lambda: some.gather(array, counts=[0] * (network.size + 1))],
        "scatter": [lambda: some.scatter(array, -1), lambda: some.scatter(np.zeros((network.size + 1, 2)))],
        "reduce_scatter": [*of_sums, lambda: some.reduce_scatter(np.zeros((network.size + 1, 2), array.dtype))],
        "sparse_all_reduce": [lambda: some.sparse_all_reduce(np.array([-1]), arrays[1][:1])],
    }
    chosen = ways.get(call.kind, [lambda: some.broadcast(array, network.size)])
    try:
        chosen[variant % len(chosen)]()
    finally:
        if call.kind == "all_reduce_async":
            _all(network, arrays[1:], {})
    return []


def _begun(frame: FrameType | None) -> bool:
    """Whether this is within a collective that has begun. Before that it is the program that is interrupted: if it goes
    on, it has skipped a call."""
    while frame is not None and frame.f_code not in BEGUN:
        frame = frame.f_back
    return frame is not None


def main() -> int:
    given = json.loads(sys.argv[1])
    duty = Duty(**given | {"terms": Terms(**given["terms"])})
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    try:
        return Worker(duty).run()
    except Leaving as leaving:
        return LEFT if str(leaving) == Leaving.__name__ else LOST
    finally:
        # An interrupt may come late, and Python restores its default action before it ends.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
