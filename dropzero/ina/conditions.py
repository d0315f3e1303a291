"""The conditions of a run: links, a late worker, and hosts that stop or are killed."""

from __future__ import annotations

from dataclasses import dataclass

from dropzero.simulator.kernel.links import Quality


@dataclass(frozen=True)
class Stop:
    """A host that stops. begin, end: nanoseconds from the start of the run; end None: it is killed."""

    host: int
    begin: int
    end: int | None = None

    def covers(self, host: int, now: int) -> bool:
        """Whether a host does nothing then."""
        return host == self.host and self.begin <= now and (self.end is None or now < self.end)


@dataclass(frozen=True)
class Conditions:
    """What a run goes through.

    Attributes:
        quality: of all links.
        seed: of the tensors, and of what happens on links in virtual time.
        late: nanoseconds after which the last worker starts.
        stops: of hosts.
        density: share of the blocks of 256 elements of a worker's tensor that are not zero, at random places.
        slow_spine: share of the others' rate that the links of the last of several spines have.
    """

    quality: Quality
    seed: int = 0
    late: int = 0
    stops: tuple[Stop, ...] = ()
    density: float = 1.0
    slow_spine: float = 1.0

    @property
    def killed(self) -> frozenset[int]:
        """The hosts that are killed: nobody waits for their sums."""
        return frozenset(stop.host for stop in self.stops if stop.end is None)
