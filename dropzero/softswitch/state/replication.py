"""Multicast groups: the port and the instance number (egress_rid) of each copy of a packet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.memory import zeros

GROUPS = 1 << 16


class Multicast:
    """The multicast groups of a switch. A packet for a group that does not exist is dropped."""

    def __init__(self) -> None:
        self.groups: dict[int, list[tuple[int, int]]] = {}
        """Group number -> (port, instance) pairs, as set."""
        self.index: NDArray[np.int32] = zeros((GROUPS, 2), np.int32)
        """(GROUPS, 2): where the group's replicas begin in `replicas`, and their number."""
        self.replicas: NDArray[np.int32] = np.zeros((0, 2), dtype=np.int32)
        """(n, 2): port, instance. Replaced as a whole when a group changes."""

    @property
    def most_copies(self) -> int:
        """The most copies of a packet that any group makes, at least 1."""
        return max([1, *map(len, self.groups.values())])

    def set(self, group: int, replicas: Iterable[tuple[int, int]]) -> None:
        """Creates or replaces a group.

        replicas: (port, instance) pairs. Copies are sent in the order of in_order().

        Raises:
            ValueError: not 0 < group < 65536.
            OverflowError: a port or instance has more than 31 bits.
        """
        if not 0 < group < GROUPS:
            raise ValueError(f"multicast groups are numbered 1 to {GROUPS - 1}, not {group}")
        self.groups[group] = checked(replicas)
        self._lay_out()

    def delete(self, group: int) -> None:
        """Removes a group, if it exists. (Another control plane may have removed it.)"""
        self.groups.pop(group, None)
        self._lay_out()

    def _lay_out(self) -> None:
        self.index[:] = 0
        ordered: list[tuple[int, int]] = []
        for group, replicas in self.groups.items():
            self.index[group] = len(ordered), len(replicas)
            ordered += in_order(replicas)
        self.replicas = np.array(ordered, dtype=np.int32).reshape(-1, 2)


def checked(replicas: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the (port, instance) pairs. Raises ValueError or OverflowError if they do not fit in an array."""
    pairs = np.array(list(replicas), dtype=np.int32).reshape(-1, 2)
    return [(port, instance) for port, instance in pairs.tolist()]


def in_order(replicas: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Orders copies by instance, in the order in which instances are first named, and then by port."""
    rank = {instance: at for at, instance in reversed(list(enumerate(instance for _, instance in replicas)))}
    return sorted(replicas, key=lambda replica: (rank[replica[1]], replica[0]))
