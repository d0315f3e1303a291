"""After ESA (arXiv 2201.06398), one rack: ATP's aggregators, which packets of a higher priority take from others.

A server that has a part of a sum, and nothing more for a time, asks the switch for what it holds. Left out: how ESA
derives priorities from layers and from a job's remaining time. Here, a job has one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from dropzero.ina.fallback import HEADER, NUMBERS, Fallback, Server
from dropzero.ina.protocol import Host, Nanoseconds
from dropzero.ina.window import CHUNK

USUAL, MOST = 8, 255
REMINDER = 3
"""A kind of packet: the aggregator sends the server what it has."""


@dataclass(frozen=True)
class ESA(Fallback):
    """aggregators: of all jobs. window: packets of a worker in flight. timeout: until a worker sends one again.
    priorities: of the jobs' packets, 0 to 255, such as 9,1; jobs without one have 8. An aggregator's falls by 1
    with each packet that does not get it, so that a sum that nobody completes gives way. remind: how long a server
    waits for the rest of a sum."""

    priorities: str = ""
    remind: Nanoseconds = Nanoseconds("2ms")  # noqa: RUF009 (it cannot change)
    port = 0xE5A0

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.priorities.split(",") if self.priorities else []
        if len(given) > self.jobs or not all(each.isdecimal() and int(each) <= MOST for each in given):
            raise ValueError(f"priorities={self.priorities}: not up to {self.jobs} numbers of 0 to {MOST}")

    def header(self, workers: int, sequence: int, kind: int) -> bytes:
        given = dict(enumerate(self.priorities.split(","))) if self.priorities else {}
        return super().header(workers, sequence, kind) + bytes([int(given.get(sequence // NUMBERS, USUAL))])

    def server(self, number: int) -> Host:
        return RemindingServer(self, self.members(number))


class RemindingServer(Server):
    def __init__(self, protocol: ESA, team: int) -> None:
        super().__init__(protocol, team)
        self._remind = protocol.remind

    def receive(self, payload: bytes) -> None:
        super().receive(payload)
        _, sequence, *_ = HEADER.unpack_from(payload)
        if self._sums[CHUNK * (sequence % NUMBERS)].workers == self._team:
            self.stop_timer(sequence)
        else:
            self.set_timer(sequence, self._remind)

    def expire(self, timer: Hashable) -> None:
        assert isinstance(timer, int)
        self.send(self._protocol.header(0, timer, REMINDER) + bytes(4 * CHUNK))
        # The rest may not have reached the switch yet.
        self.set_timer(timer, self._remind)
