"""After ESA (arXiv 2201.06398), one rack: ATP's aggregators, which packets of a higher priority take from others.

Left out: how ESA derives priorities from layers and from a job's remaining time. Here, a job has one."""

from __future__ import annotations

from dataclasses import dataclass

from dropzero.ina.fallback import NUMBERS, Fallback

USUAL, MOST = 8, 255


@dataclass(frozen=True)
class ESA(Fallback):
    """aggregators: of all jobs. window: packets of a worker in flight. timeout: until a worker sends one again.
    priorities: of the jobs' packets, 0 to 255, such as 9,1; jobs without one have 8. An aggregator's falls by 1
    with each packet that does not get it, so that a sum that nobody completes gives way."""

    priorities: str = ""
    port = 0xE5A0

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.priorities.split(",") if self.priorities else []
        if len(given) > self.jobs or not all(each.isdecimal() and int(each) <= MOST for each in given):
            raise ValueError(f"priorities={self.priorities}: not up to {self.jobs} numbers of 0 to {MOST}")

    def header(self, workers: int, sequence: int, kind: int) -> bytes:
        given = dict(enumerate(self.priorities.split(","))) if self.priorities else {}
        return super().header(workers, sequence, kind) + bytes([int(given.get(sequence // NUMBERS, USUAL))])
