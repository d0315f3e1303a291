"""What a training program sees of the network: join a job, add up arrays over its workers."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from controller.client import Membership, Place
from protocol.call import Call
from protocol.lanes import Lanes, ProtocolError
from worker.address import own_ip
from worker.transport import Transport

T = TypeVar("T", NDArray[np.float32], NDArray[np.int32])

STALL = 60.0


class WorkerLost(ProtocolError):
    """Another worker of the job is gone; the message says which."""


class Stalled(ProtocolError):
    """Nothing came of a collective for too long; the message says whom it waited for."""


class Communicator:
    """A worker's place in a job. Not thread-safe; all workers must make the same calls in the same order.

    Attributes:
        rank: this worker's number, from 0.
        size: how many workers the job has.
    """

    def __init__(
        self, place: Place, membership: Membership, transport: Transport, stall: float, resources: ExitStack
    ) -> None:
        self.rank, self.size = place.rank, place.size
        self._membership, self._transport, self._stall = membership, transport, stall
        self._lanes = Lanes(job=place.job, worker=place.rank, workers=place.size, epoch=place.epoch, lanes=place.lanes)
        self._resources = resources
        self._calls = 0

    @property
    def statistics(self) -> dict[str, int]:
        """What was sent and received so far: see protocol.lanes.Statistics."""
        return self._lanes.statistics.as_dict()

    def all_reduce(self, array: T, *, block: int = 32) -> T:
        """The sum of the workers' arrays, on every worker the same to the last bit.

        int32 adds exactly, modulo 2^32. float32 is added as 32-bit fixed point, block by block, with a common exponent
        (see protocol.fixedpoint). Blocks that are zero everywhere cost nothing.

        Args:
            array: float32 or int32, any shape, the same for all workers.
            block: elements in a block: 32, 64, 128 or 256.

        Returns:
            A new array of the same shape and type.

        Raises:
            ValueError: of another type, not finite, or no such block size.
            ProtocolError: the workers disagree (Disagreement), one is gone (WorkerLost, EpochChanged), or nothing came
                for too long (Stalled).
        """
        source: NDArray[Any] = np.ascontiguousarray(array).reshape(-1)
        target = np.empty_like(source)
        lanes, transport = self._lanes, self._transport
        call = Call.of(source, self._calls, block=block)
        self._calls += 1
        now = time.monotonic()
        lanes.begin(call, source, target, now)
        transport.send(*lanes.outgoing())
        give_up = now + self._stall
        while not lanes.done:
            payloads, lengths = transport.receive(min(lanes.deadline, give_up) - now)
            now = time.monotonic()
            if len(lengths):
                lanes.receive(payloads, lengths, now)
                answers = lanes.outgoing()
                transport.send(*answers)
                if len(answers[1]):
                    give_up = now + self._stall
            elif self._membership.lost:
                raise WorkerLost(self._membership.lost)
            elif now >= give_up:
                raise Stalled(self._diagnosis())
            # Also while packets keep arriving: busy lanes must not starve the one whose packet was lost.
            if not lanes.done and lanes.deadline <= now:
                lanes.expire(now)
                transport.send(*lanes.outgoing())
        return target.reshape(np.shape(array))

    def close(self) -> None:
        """Leaves the job."""
        self.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resources.__exit__(kind, error, trace)

    def _diagnosis(self) -> str:
        missing = [str(worker) for worker in range(self.size) if self._lanes.missing >> worker & 1]
        who = f"the switch waits for worker {', '.join(missing)}" if missing else "the switch does not answer"
        return f"no progress for {self._stall:g} s: {who}"


def connect(
    controller: str, job: int, size: int, *, rank: int | None = None, lanes: int = 0, stall: float = STALL
) -> Communicator:
    """Joins a job, and returns when all of its `size` workers have.

    Args:
        controller: the controller's gRPC address, e.g. "unix:/run/dropzero/controller.sock".
        job: the job's number. The first worker to join creates it.
        size: how many workers it has, the same for all of them.
        rank: this worker's number among them, from 0; None: any that is free.
        lanes: how many packets a worker may have under way; 0: as many as the controller thinks fit.
        stall: seconds without any progress after which a collective gives up.

    Raises:
        controller.client.MembershipError: refused, or the controller can't be reached.
        OSError: this host has no network.
    """
    Lanes.rehearse()
    with ExitStack() as resources:
        membership = resources.enter_context(Membership(controller))
        transport = resources.enter_context(closing(Transport()))
        place = membership.join(job=job, size=size, rank=rank, ip=own_ip(), udp_port=transport.port, lanes=lanes)
        transport.connect((place.switch_ip, place.switch_port))
        return Communicator(place, membership, transport, stall, resources.pop_all())
