"""The fast path: one call of native code carries packets from ports through the pipeline to ports, batch after batch.

It sleeps while there are no packets. It returns when Python has something to do: handle packets for the control plane
or for queues, digests and messages, outputs larger than OUTPUT, or GSO packets that cannot be split; or let another
thread have the engine. Switches with impaired ports do not use it.
"""

from __future__ import annotations

import select
import time

import numpy as np

from dropzero.linux.abi import IOVEC
from dropzero.linux.netlink import LinkEvents
from dropzero.linux.timerfd import TimerFd
from dropzero.linux.wakeup_pipe import WakeupPipe
from dropzero.native.compilation import entry_point
from dropzero.softswitch.engine.engine import Engine, Output
from dropzero.softswitch.engine.fair_lock import ignore_waiters
from dropzero.softswitch.engine.frames import NOTHING, Frames
from dropzero.softswitch.ports.fast_path_code import fast_path
from dropzero.softswitch.ports.pcap import RECORD_HEADER, RECORDS
from dropzero.softswitch.ports.ports import CAPTURES, Ports
from dropzero.softswitch.ports.shared import ARRIVED, CALLED, POLL, TIME

OUTPUT, PACKETS = 4 << 20, 8192
"""The bytes and packets that a batch's output holds."""


class FastPath:
    """Serves the ports that the switch has when this object is made."""

    def __init__(self, ports: Ports, wakeup: WakeupPipe, *others: TimerFd | LinkEvents) -> None:
        """run() returns when `wakeup` or one of `others` is readable. wakeup: also wakes a thread that waits for the
        engine's lock."""
        self._wakeup = wakeup
        self._ports = ports
        all_ports = list(ports)
        descriptors = [port.fileno() for port in all_ports] + [ports.rings.doorbell, *ports.rings.sockets]
        descriptors += [each.fileno() for each in (wakeup, *others)]
        self._pollfds = np.zeros(len(descriptors), POLL)
        self._pollfds["fd"] = descriptors
        self._pollfds["events"] = select.POLLIN
        self._numbers = np.array([port.number for port in all_ports], np.int32)
        self._dropped = np.zeros(len(all_ports), np.int64)
        self._files = {name: np.full(len(all_ports), -1, np.int32) for name in CAPTURES}
        self._records, self._vectors = np.zeros(RECORDS, RECORD_HEADER), np.zeros(2 * RECORDS, IOVEC)
        self._engine: Engine | None = None
        self._timespec = np.zeros(1, TIME)
        self._shared = ports.shared
        self._set(port_count=len(all_ports), poll_count=len(self._pollfds))
        self._set(pollfds=self._pollfds.ctypes.data, port_numbers=self._numbers.ctypes.data)
        self._set(dropped=self._dropped.ctypes.data, timespec=self._timespec.ctypes.data)
        self._set(records=self._records.ctypes.data, record_vectors=self._vectors.ctypes.data)
        self._make_output()
        entry_point(fast_path)  # compiling may take seconds: not when packets come

    def run(self, engine: Engine, begin: int) -> Frames:
        """Runs until Python has something to do. Returns the packets that are not sent yet.

        The caller holds the engine's lock. begin: time.monotonic_ns() when the switch's time began.
        """
        shared = self._shared
        if engine is not self._engine:
            self.close()
            self._engine = engine
            engine.lock.on_wait = self._wakeup.wake
            # A thread that already waits has not called on_wait.
            self._wakeup.wake()
            self._set(**engine.places, cpu_port=-1 if engine.cpu_port is None else engine.cpu_port)
        # Some may have ended.
        for name, files in self._files.items():
            files[:] = [port.file(name) for port in self._ports]
            shared[name] = files.ctypes.data if (files >= 0).any() else 0
        shared["begin"] = begin
        engine.update_context()
        outcome = entry_point(fast_path)(shared.ctypes.data)
        if shared["error"]:
            self._report_drops()
        if shared["capture_error"]:
            self._end_captures()
        if outcome == CALLED:
            return NOTHING
        # Native code has already captured what it has processed.
        frames = self._ports.arrived(int(shared["messages"]), int(shared["packets"]), capture=outcome == ARRIVED)
        if outcome == ARRIVED:
            return engine.process(frames, (time.monotonic_ns() - begin) // 1000)
        return engine.continue_batch(frames, int(shared["processed"]), self._output, int(shared["now"]) - begin)

    def close(self) -> None:
        """Call it before the descriptors are closed."""
        if self._engine is not None:
            self._engine.lock.on_wait = ignore_waiters

    def _make_output(self) -> None:
        self._output = Output(OUTPUT, PACKETS)
        data, starts, lengths, ports = self._output.addresses
        self._set(out_data=data, out_starts=starts, out_lengths=lengths, out_ports=ports)
        self._set(out_size=OUTPUT, out_count=PACKETS)

    def _set(self, **fields: int) -> None:
        for name, value in fields.items():
            self._shared[name] = value

    def _report_drops(self) -> None:
        """Logs the packets that interfaces refused."""
        error, self._shared["error"] = int(self._shared["error"]), 0
        for number in np.flatnonzero(self._dropped).tolist():
            self._ports.refused(int(self._numbers[number]), error, int(self._dropped[number]))
            self._dropped[number] = 0

    def _end_captures(self) -> None:
        """Closes the captures whose files could not be written to."""
        error, self._shared["capture_error"] = int(self._shared["capture_error"]), 0
        for name, files in self._files.items():
            for port, file in zip(self._ports, files.tolist(), strict=True):
                if file < 0 <= port.file(name):
                    port.end_capture(name, error)
