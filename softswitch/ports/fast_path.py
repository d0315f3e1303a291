"""The fast path: one call of native code carries packets from ports through the pipeline to ports, batch after batch.

It also sleeps while there are no packets. It returns when something is left for Python: packets for the control plane
or for queues, digests and messages, outputs larger than OUTPUT, GSO packets that cannot be split, or another thread
that wants the engine. Switches with captures or impaired ports do without it.
"""

from __future__ import annotations

import ctypes
import select
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.linux.timerfd import TimerFd
from dropzero.linux.wakeup_pipe import WakeupPipe
from dropzero.softswitch.engine.engine import Engine, Output
from dropzero.softswitch.engine.fair_lock import ignore_waiters
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.ports.fast_path_words import POLL, Outcome, Word
from dropzero.softswitch.ports.ports import Ports

OUTPUT = 4 << 20
"""Bytes of a batch's output."""
PACKETS = 8192
"""Packets of a batch's output."""
NOTHING = Frames.of([])


class FastPath:
    """Serves the ports that the switch has when this is made."""

    def __init__(self, ports: Ports, wakeup: WakeupPipe, timer: TimerFd) -> None:
        """wakeup: wakes it when another thread wants it or the engine
        timer: fires when packets are due that wait elsewhere"""
        self._wakeup = wakeup
        self._ports = ports
        all_ports = list(ports)
        self._polled = np.zeros(len(all_ports) + 2, POLL)
        self._polled["descriptor"] = [*(port.fileno() for port in all_ports), wakeup.fileno(), timer.fileno()]
        self._polled["events"] = select.POLLIN
        self._numbers = np.array([port.number for port in all_ports], np.int32)
        self._dropped = np.zeros(len(all_ports), np.int64)
        self._engine: Engine | None = None
        self._fast_path = ports.function("fast_path", ctypes.c_void_p)
        self._words: NDArray[np.int64] = np.zeros(len(Word), np.int64)
        self._fill(ports.places, polled=self._polled, numbers=self._numbers, dropped=self._dropped)
        self._words[Word.PORTS] = len(all_ports)
        self._at = self._words.ctypes.data
        self._renew()

    def run(self, engine: Engine, begin: int) -> Frames:
        """Runs until there is something else to do, and returns packets that are still to be sent.

        The caller holds the engine's lock. begin: nanoseconds, when the switch's time began.
        """
        words = self._words
        if engine is not self._engine:
            self.close()
            self._engine = engine
            engine.lock.on_wait = self._wakeup.wake
            # Whoever began to wait before could not wake it.
            self._wakeup.wake()
            self._fill(engine.places)
            words[Word.CPU_PORT] = -1 if engine.cpu_port is None else engine.cpu_port
        words[Word.BEGIN], words[Word.JOINING] = begin, self._ports.joining
        engine.update_context()
        outcome = self._fast_path(self._at)
        if words[Word.ERROR]:
            self._complain()
        if outcome == Outcome.CALLED:
            return NOTHING
        frames = self._ports.arrived(int(words[Word.FILLED]), int(words[Word.MADE]))
        if outcome == Outcome.ARRIVED:
            return engine.process(frames, (time.monotonic_ns() - begin) // 1000)
        left = engine.go_on(frames, int(words[Word.TAKEN]), self._output, int(words[Word.TIME]) - begin)
        if engine.queues.used:
            # Queued packets stay in this output.
            self._renew()
        return left

    def close(self) -> None:
        """Must be called before its descriptors are closed."""
        if self._engine is not None:
            self._engine.lock.on_wait = ignore_waiters

    def _renew(self) -> None:
        self._output = Output(OUTPUT, PACKETS)
        data, starts, lengths, ports = self._output.addresses
        places = {"out_data": data, "out_starts": starts, "out_lengths": lengths, "out_ports": ports}
        self._fill(places | {"out_size": OUTPUT, "out_count": PACKETS})

    def _fill(self, places: dict[str, int], **arrays: NDArray[Any]) -> None:
        for name, value in (places | {name: array.ctypes.data for name, array in arrays.items()}).items():
            self._words[Word[name.upper()]] = value

    def _complain(self) -> None:
        """Logs packets that an interface did not take."""
        error, self._words[Word.ERROR] = int(self._words[Word.ERROR]), 0
        for number in np.flatnonzero(self._dropped).tolist():
            self._ports.refused(int(self._numbers[number]), error, int(self._dropped[number]))
            self._dropped[number] = 0
