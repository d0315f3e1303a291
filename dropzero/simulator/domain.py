"""Scale-up domains: neighbouring ranks that a faster switch joins, such as NVLink's in a machine with several GPUs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from dropzero.simulator.in_process import PARENT_PORT
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.tree import Shape


@dataclass(frozen=True)
class Domain:
    """What all domains have in common.

    Attributes:
        ranks: in each.
        quality: of the link between a rank and its domain's switch, next to that of its network card.

    Raises:
        ValueError: a switch has not that many ports.
    """

    ranks: int
    quality: Quality

    def __post_init__(self) -> None:
        if not 1 < self.ranks < PARENT_PORT:
            raise ValueError(f"a domain has 2 to {PARENT_PORT - 1} ranks, not {self.ranks}")

    def shape(self, workers: int) -> Shape:
        """The switches of all domains, with the ranks on them."""
        homes = [f"domain{rank // self.ranks}" for rank in range(workers)]
        return Shape(dict.fromkeys(homes), [*homes])

    def parts(self, ranks: Sequence[int]) -> list[tuple[int, ...]]:
        """The ranks by domain, in their order."""
        found: dict[int, list[int]] = defaultdict(list)
        for rank in dict.fromkeys(ranks):
            found[rank // self.ranks].append(rank)
        return [tuple(part) for part in found.values()]

    def staged(self, ranks: Sequence[int]) -> bool:
        """Whether a group's calls have stages in domains and between these: it has equally many ranks, and more than
        one, in each of several domains."""
        sizes = [len(part) for part in self.parts(ranks)]
        return len(sizes) > 1 and {*sizes} == {sizes[0]} != {1}
