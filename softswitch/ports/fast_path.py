"""Packets from the ports, through the pipeline, to the ports: batch after batch in one call of native code, which also
sleeps while there are none, as long as nothing has to be told to anybody else and nobody else wants the engine.

That is what happens nearly always. What is not so regular it leaves to the ordinary way: packets for the control plane
and for queues, digests and messages, outputs larger than OUTPUT, trains that can't be taken apart. Captures and
impaired ports have no part in it at all.
"""

from __future__ import annotations

import ctypes
import select
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.linux.timerfd import Alarm
from dropzero.linux.wakeup_pipe import Bell
from dropzero.softswitch.engine.engine import Engine, Output
from dropzero.softswitch.engine.fair_lock import nobody
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.ports.fast_path_words import POLL, Outcome, Word
from dropzero.softswitch.ports.ports import Ports

OUTPUT = 4 << 20
"""Bytes that a batch may become."""
PACKETS = 8192
"""Likewise."""
NOTHING = Frames.of([])


class Relay:
    """All ports of a switch, as they are when it is made."""

    def __init__(self, ports: Ports, bell: Bell, alarm: Alarm) -> None:
        """bell: rings when somebody else wants the thread or the engine
        alarm: goes off when it is time for something else"""
        self._bell = bell
        self._ports = ports
        all_ports = list(ports)
        self._polled = np.zeros(len(all_ports) + 2, POLL)
        self._polled["descriptor"] = [*(port.fileno() for port in all_ports), bell.fileno(), alarm.fileno()]
        self._polled["events"] = select.POLLIN
        self._numbers = np.array([port.number for port in all_ports], np.int32)
        self._dropped = np.zeros(len(all_ports), np.int64)
        self._engine: Engine | None = None
        self._relay = ports.function("relay", ctypes.c_void_p)
        self._words: NDArray[np.int64] = np.zeros(len(Word), np.int64)
        self._fill(ports.places, polled=self._polled, numbers=self._numbers, dropped=self._dropped)
        self._words[Word.PORTS] = len(all_ports)
        self._at = self._words.ctypes.data
        self._renew()

    def run(self, engine: Engine, begin: int) -> Frames:
        """Goes on until there is something else to do, or something that is not as regular. Returns packets that are
        still to be sent.

        Whoever calls it holds the engine's lock. begin: when its time began, nanoseconds.
        """
        words = self._words
        if engine is not self._engine:
            self.close()
            self._engine = engine
            engine.lock.ring = self._bell.ring
            # Who has begun to wait before that could not ring.
            self._bell.ring()
            self._fill(engine.places)
            words[Word.CPU_PORT] = -1 if engine.cpu_port is None else engine.cpu_port
        words[Word.BEGIN], words[Word.JOINING] = begin, self._ports.joining
        engine.update_context()
        outcome = self._relay(self._at)
        if words[Word.ERROR]:
            self._complain()
        if outcome == Outcome.CALLED:
            return NOTHING
        frames = self._ports.arrived(int(words[Word.FILLED]), int(words[Word.MADE]))
        if outcome == Outcome.ARRIVED:
            return engine.process(frames, (time.monotonic_ns() - begin) // 1000)
        left = engine.go_on(frames, int(words[Word.TAKEN]), self._output, int(words[Word.TIME]) - begin)
        if engine.queues.used:
            # Some of it stays where it is.
            self._renew()
        return left

    def close(self) -> None:
        """Before its descriptors are closed."""
        if self._engine is not None:
            self._engine.lock.ring = nobody

    def _renew(self) -> None:
        self._output = Output(OUTPUT, PACKETS)
        data, starts, lengths, ports = self._output.addresses
        places = {"out_data": data, "out_starts": starts, "out_lengths": lengths, "out_ports": ports}
        self._fill(places | {"out_size": OUTPUT, "out_count": PACKETS})

    def _fill(self, places: dict[str, int], **arrays: NDArray[Any]) -> None:
        for name, value in (places | {name: array.ctypes.data for name, array in arrays.items()}).items():
            self._words[Word[name.upper()]] = value

    def _complain(self) -> None:
        """Of packets that an interface did not take."""
        error, self._words[Word.ERROR] = int(self._words[Word.ERROR]), 0
        for number in np.flatnonzero(self._dropped).tolist():
            self._ports.refused(int(self._numbers[number]), error, int(self._dropped[number]))
            self._dropped[number] = 0
