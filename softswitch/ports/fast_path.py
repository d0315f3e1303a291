"""The fast path: one call of native code carries packets from ports through the pipeline to ports, batch after batch.

It also sleeps while there are no packets. It returns when something is left for Python: packets for the control plane
or for queues, digests and messages, outputs larger than OUTPUT, GSO packets that cannot be split, or another thread
that wants the engine. Switches with captures or impaired ports do without it.
"""

from __future__ import annotations

import select
import time

import numpy as np

from dropzero.linux.link_events import LinkEvents
from dropzero.linux.timerfd import TimerFd
from dropzero.linux.wakeup_pipe import WakeupPipe
from dropzero.softswitch.engine.engine import Engine, Output
from dropzero.softswitch.engine.fair_lock import ignore_waiters
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.ports.ports import Ports
from dropzero.softswitch.ports.words import ARRIVED, CALLED, POLL, TIME

OUTPUT = 4 << 20
"""Bytes of a batch's output."""
PACKETS = 8192
"""Packets of a batch's output."""
NOTHING = Frames.of([])


class FastPath:
    """Serves the ports that the switch has when this is made."""

    def __init__(self, ports: Ports, wakeup: WakeupPipe, *others: TimerFd | LinkEvents) -> None:
        """wakeup: wakes it when another thread wants it or the engine. others: end run() as well, when readable."""
        self._wakeup = wakeup
        self._ports = ports
        all_ports = list(ports)
        descriptors = [each.fileno() for each in (*all_ports, wakeup, *others)]
        self._polled = np.zeros(len(descriptors), POLL)
        self._polled["descriptor"] = descriptors
        self._polled["events"] = select.POLLIN
        self._numbers = np.array([port.number for port in all_ports], np.int32)
        self._dropped = np.zeros(len(all_ports), np.int64)
        self._engine: Engine | None = None
        self._clock = np.zeros(1, TIME)
        self._words = ports.words
        self._fill(ports=len(all_ports), all_polled=len(self._polled))
        arrays = {"polled": self._polled, "numbers": self._numbers, "dropped": self._dropped, "clock": self._clock}
        self._fill(**{name: array.ctypes.data for name, array in arrays.items()})
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
            self._fill(**engine.places, cpu_port=-1 if engine.cpu_port is None else engine.cpu_port)
        words["begin"] = begin
        engine.update_context()
        outcome = self._ports.gso.fast_path(words.ctypes.data)
        if words["error"]:
            self._complain()
        if outcome == CALLED:
            return NOTHING
        frames = self._ports.arrived(int(words["filled"]), int(words["made"]))
        if outcome == ARRIVED:
            return engine.process(frames, (time.monotonic_ns() - begin) // 1000)
        left = engine.go_on(frames, int(words["taken"]), self._output, int(words["time"]) - begin)
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
        self._fill(out_data=data, out_starts=starts, out_lengths=lengths, out_ports=ports)
        self._fill(out_size=OUTPUT, out_count=PACKETS)

    def _fill(self, **words: int) -> None:
        for name, value in words.items():
            self._words[name] = value

    def _complain(self) -> None:
        """Logs packets that an interface did not take."""
        error, self._words["error"] = int(self._words["error"]), 0
        for number in np.flatnonzero(self._dropped).tolist():
            self._ports.refused(int(self._numbers[number]), error, int(self._dropped[number]))
            self._dropped[number] = 0
