"""Multicast groups: the ports that get copies of a packet, and each copy's instance number (egress_rid)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

GROUPS = 1 << 16


class Multicast:
    """The groups of a switch. A packet sent to a group that does not exist is dropped."""

    def __init__(self) -> None:
        self.groups: dict[int, list[tuple[int, int]]] = {}
        """Group number -> (port, instance) pairs, as set."""
        self.index: NDArray[np.int32] = np.zeros((GROUPS, 2), dtype=np.int32)
        """(GROUPS, 2): where the group's replicas begin in `replicas`, and their number."""
        self.replicas: NDArray[np.int32] = np.zeros((0, 2), dtype=np.int32)
        """(n, 2): port, instance. Replaced as a whole when a group changes."""

    @property
    def most_copies(self) -> int:
        """The most copies that any group makes of a packet."""
        return max([1, *map(len, self.groups.values())])

    def set(self, group: int, replicas: Iterable[tuple[int, int]]) -> None:
        """Creates or replaces a group of (port, instance) pairs, of at most 31 bits. Raises ValueError unless
        0 < group < 65536, OverflowError.

        Copies are ordered by instance, in the order in which instances are first named, and within an instance by port.
        """
        if not 0 < group < GROUPS:
            raise ValueError(f"multicast groups are numbered 1 to {GROUPS - 1}, not {group}")
        self.groups[group] = checked(replicas)
        self._lay_out()

    def delete(self, group: int) -> None:
        """Removes a group, if there is one: each control plane may remove what the other made."""
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
    """The pairs. Raises ValueError or OverflowError if they do not fit the arrays of replicas."""
    pairs = np.array(list(replicas), dtype=np.int32).reshape(-1, 2)
    return [(port, instance) for port, instance in pairs.tolist()]


def in_order(replicas: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Orders copies by instance, as instances are first named, and within an instance by port."""
    rank = {instance: at for at, instance in reversed(list(enumerate(instance for _, instance in replicas)))}
    return sorted(replicas, key=lambda replica: (rank[replica[1]], replica[0]))
