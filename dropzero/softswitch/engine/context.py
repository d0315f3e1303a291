"""Fills in the context of a compiled program: numbers, and addresses of the state's arrays (layout.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.engine.program_state import ProgramState
from dropzero.softswitch.state.layout import Context
from dropzero.softswitch.state.tables.tuple_space import TupleSpace


class ContextWords:
    """The context of a program's state.

    layout: the positions of its words
    words:  (layout.words,) uint64
    """

    def __init__(self, state: ProgramState) -> None:
        self.layout = Context(state.program)
        self.words: NDArray[np.uint64] = np.zeros(self.layout.words, dtype=np.uint64)
        # The arrays at the last update. Every change replaces them.
        self._replicas: tuple[NDArray[np.int32] | None, NDArray[np.int32] | None] = (None, None)
        self._spaces: list[tuple[TupleSpace, int]] = []
        """The spaces of tables that are not exact, and where their lengths are."""
        self._fill(state)

    def update(self, state: ProgramState) -> None:
        """Stores the numbers and addresses that the control plane has changed since the last update."""
        layout, words = self.layout, self.words
        replicas = state.multicast.replicas, state.clone_sessions.replicas
        if replicas[0] is not self._replicas[0] or replicas[1] is not self._replicas[1]:
            self._replicas = replicas
            words[layout.replicas] = replicas[0].ctypes.data
            words[layout.session_replicas] = replicas[1].ctypes.data
            most = state.multicast.most_copies + state.clone_sessions.most_copies
            # All deparsers but the last one write the packet once more, before it is copied.
            words[layout.most_copies] = most + len(state.program.deparsers) - 1
        for name, at in layout.profiles.items():
            profile = state.action_profiles[name]
            profile.lay_out()
            words[at + 1] = profile.index.ctypes.data
            words[at + 2] = profile.choices.ctypes.data
        for name, at in layout.value_sets.items():
            words[at + 1] = len(state.value_sets[name])
        for space, at in self._spaces:
            words[at] = len(space)

    def _fill(self, state: ProgramState) -> None:
        """Stores the addresses that never change: those of registers, counters, tables and so on."""
        layout, words = self.layout, self.words
        arrays: list[tuple[Mapping[str, int], Mapping[str, Any]]] = [
            *((layout.registers, state.registers), (layout.counters, state.counters), (layout.meters, state.meters)),
            *((layout.value_sets, state.value_sets), (layout.crcs, state.crcs)),
        ]
        for positions, known in arrays:
            for name, at in positions.items():
                words[at] = known[name].cells.ctypes.data
        for name, at in layout.profiles.items():
            words[at] = state.action_profiles[name].rows.ctypes.data
        for declared in state.program.tables:
            if declared.constant_call is not None:
                continue
            table, places = state.tables[declared.name], layout.tables[declared.name]
            words[places.rows] = table.rows.ctypes.data
            words[places.index] = table.index.slots.ctypes.data
            words[places.default] = table.default_row.ctypes.data
            if table.space is not None:
                words[places.trials] = table.space.trials.ctypes.data
                self._spaces.append((table.space, places.count))
        words[layout.groups] = state.multicast.index.ctypes.data
        words[layout.sessions] = state.clone_sessions.index.ctypes.data
