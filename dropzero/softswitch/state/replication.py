"""Multicast groups and clone sessions: the port and the instance number (egress_rid) of each copy of a packet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.memory import zeros

GROUPS, SESSIONS = 1 << 16, 1 << 15


class _Replicas:
    """Numbered lists of replicas, as arrays that the compiled program reads.

    index:    (numbers, columns) int32: where a list begins in `replicas`, and its length
    replicas: (n, 2) int32: port, instance. Replaced as a whole when a list changes
    """

    def __init__(self, numbers: int, columns: int) -> None:
        self.index: NDArray[np.int32] = zeros((numbers, columns), np.int32)
        self._lay_out({})

    def _lay_out(self, lists: Mapping[int, Sequence[tuple[int, int]]]) -> None:
        self.index[:] = 0
        ordered: list[tuple[int, int]] = []
        for number, replicas in lists.items():
            self.index[number, :2] = len(ordered), len(replicas)
            ordered += in_order(replicas)
        self.replicas: NDArray[np.int32] = np.array(ordered, dtype=np.int32).reshape(-1, 2)


class Multicast(_Replicas):
    """The multicast groups of a switch. A packet for a group that does not exist is dropped."""

    def __init__(self) -> None:
        super().__init__(GROUPS, 2)
        self.groups: dict[int, list[tuple[int, int]]] = {}
        """Group number -> (port, instance) pairs, as set."""

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
        self._lay_out(self.groups)

    def delete(self, group: int) -> None:
        """Removes a group, if it exists. (Another control plane may have removed it.)"""
        self.groups.pop(group, None)
        self._lay_out(self.groups)


@dataclass(frozen=True)
class CloneSession:
    """The destinations of copies that programs make with clone().

    replicas:   (port, instance) pairs; the instance is the copy's egress_rid
    truncation: the maximum size of a copy in bytes; 0: unlimited
    """

    replicas: tuple[tuple[int, int], ...]
    truncation: int = 0


class CloneSessions(_Replicas):
    """The clone sessions of a switch. Cloning to a session that does not exist does nothing. The third column of
    `index` is the truncation; the fourth is unused."""

    def __init__(self) -> None:
        super().__init__(SESSIONS, 4)
        self.sessions: dict[int, CloneSession] = {}

    @property
    def most_copies(self) -> int:
        """The most copies of a packet that any session makes."""
        return max((len(session.replicas) for session in self.sessions.values()), default=0)

    def set(self, session: int, replicas: Iterable[tuple[int, int]], truncation: int = 0) -> None:
        """Creates or replaces a session (see CloneSession).

        Raises:
            ValueError: not 0 <= session < 32768, or not 0 <= truncation < 2**31.
            OverflowError: a port or instance has more than 31 bits.
        """
        if not 0 <= session < SESSIONS:
            raise ValueError(f"clone sessions are numbered 0 to {SESSIONS - 1}, not {session}")
        if not 0 <= truncation < 1 << 31:
            raise ValueError(f"{truncation} is not a length of a packet")
        self.sessions[session] = CloneSession(tuple(checked(replicas)), truncation)
        self._write()

    def delete(self, session: int) -> None:
        """Removes a session, if it exists. (Another control plane may have removed it.)"""
        self.sessions.pop(session, None)
        self._write()

    def _write(self) -> None:
        self._lay_out({number: session.replicas for number, session in self.sessions.items()})
        for number, session in self.sessions.items():
            self.index[number, 2] = session.truncation


def checked(replicas: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the (port, instance) pairs. Raises ValueError or OverflowError if they do not fit in an array."""
    pairs = np.array(list(replicas), dtype=np.int32).reshape(-1, 2)
    return [(port, instance) for port, instance in pairs.tolist()]


def in_order(replicas: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Orders copies by instance, in the order in which instances are first named, and then by port."""
    rank = {instance: at for at, instance in reversed(list(enumerate(instance for _, instance in replicas)))}
    return sorted(replicas, key=lambda replica: (rank[replica[1]], replica[0]))
