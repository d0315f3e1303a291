"""Trees of switches with a job's workers on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

JOB, EPOCH = 3, 7
"""The job that runs on them, and its first epoch."""

Node = int | str
"""A worker's number or a switch's name."""


@dataclass(frozen=True)
class Shape:
    """A tree of switches, or several, and each worker's switch.

    Attributes:
        parents: each switch's parent, parents before their leaves; a top has none.
        homes: each worker's switch, by rank.
    """

    parents: Mapping[Node, Node | None]
    homes: list[Node]

    @property
    def top(self) -> Node:
        """The switch above all others of the first tree."""
        return next(iter(self.parents))

    @property
    def leaf(self) -> bool:
        """Whether the tree has several switches."""
        return len(self.parents) > 1

    def among(self, workers: Sequence[int]) -> Shape:
        """The smallest tree with these workers."""
        paths = [self.path(self.homes[worker]) for worker in workers]
        shared = [nodes[0] for nodes in zip(*(reversed(path) for path in paths), strict=False) if len({*nodes}) == 1]
        below = {node for path in paths for node in path} - {*shared[:-1]}
        parents = {node: above if above in below else None for node, above in self.parents.items() if node in below}
        return Shape(parents, [path[0] for path in paths])

    def path(self, switch: Node) -> list[Node]:
        """A switch, and those above it."""
        above = self.parents[switch]
        return [switch] if above is None else [switch, *self.path(above)]

    def beside(self, other: Shape) -> Shape:
        """These trees and others, whose workers are numbered after those of these."""
        return Shape({**self.parents, **other.parents}, [*self.homes, *other.homes])

    def renamed(self, names: Mapping[Node, Node]) -> Shape:
        """The same trees with other switches in place of these."""
        parents = {
            names.get(name, name): None if above is None else names.get(above, above)
            for name, above in self.parents.items()
        }
        return Shape(parents, [names.get(home, home) for home in self.homes])

    def around(self, switch: Node) -> list[Node]:
        """A switch's workers (of the job, and its leaves), in the order of their numbers there."""
        on_it: list[Node] = [worker for worker, home in enumerate(self.homes) if home == switch]
        return on_it + [leaf for leaf, parent in self.parents.items() if parent == switch]

    def number(self, node: Node) -> int:
        """The number of a worker at its switch, or of a leaf at its parent; 0 for the top."""
        above = self.homes[node] if isinstance(node, int) else self.parents[node]
        return 0 if above is None else self.around(above).index(node)
