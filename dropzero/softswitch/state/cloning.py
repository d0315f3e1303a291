"""Clone sessions: the destinations of copies that programs make with clone()."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.memory import zeros
from dropzero.softswitch.state.replication import checked, in_order

SESSIONS = 1 << 15


@dataclass(frozen=True)
class CloneSession:
    """One clone session.

    replicas:   (port, instance) pairs; the instance is the copy's egress_rid
    truncation: the maximum size of a copy in bytes; 0: unlimited
    """

    replicas: tuple[tuple[int, int], ...]
    truncation: int = 0


class CloneSessions:
    """The clone sessions of a switch. Cloning to a session that does not exist does nothing."""

    def __init__(self) -> None:
        self.sessions: dict[int, CloneSession] = {}
        self.index: NDArray[np.int32] = zeros((SESSIONS, 4), np.int32)
        """(SESSIONS, 4): where the session's replicas begin in `replicas`, their number, the truncation, unused."""
        self.replicas: NDArray[np.int32] = np.zeros((0, 2), dtype=np.int32)
        """(n, 2): port, instance. Replaced as a whole when a session changes."""

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
        self._lay_out()

    def delete(self, session: int) -> None:
        """Removes a session, if it exists. (Another control plane may have removed it.)"""
        self.sessions.pop(session, None)
        self._lay_out()

    def _lay_out(self) -> None:
        self.index[:] = 0
        ordered: list[tuple[int, int]] = []
        for number, session in self.sessions.items():
            self.index[number, :3] = len(ordered), len(session.replicas), session.truncation
            ordered += in_order(session.replicas)
        self.replicas = np.array(ordered, dtype=np.int32).reshape(-1, 2)
