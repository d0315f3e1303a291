"""The loop, as other threads use it."""

from __future__ import annotations

import threading

from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.handoff import ROOM
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.ports.loop import Loop
from dropzero.softswitch.ports.ports import Ports
from dropzero.softswitch.program.bmv2_json import load_program
from tests.support.p4runtime_client import PROGRAMS


def test_controllers_packets_that_come_too_fast_are_dropped_and_counted() -> None:
    switch = Switch(cpu_port=255, seed=1)
    switch.engine = switch.compile(load_program(PROGRAMS / "kinds.json"))
    left: list[int] = []
    done = threading.Event()

    def outlet(frames: Frames) -> None:
        left.extend(frames.port.tolist())
        if len(left) == ROOM:
            done.set()

    loop = Loop(switch, Ports(), outlet)
    packet = (7 << 7).to_bytes(2, "big") + bytes(60)  # packet_out.port: 7
    assert [loop.inject(packet) for _ in range(ROOM + 100)].count(False) == 100
    assert loop.drops.count == 100
    thread = threading.Thread(target=loop.run)
    thread.start()
    assert done.wait(600)
    assert left == [7] * ROOM
    assert loop.inject(packet)
    loop.stop()
    thread.join()
    loop.close()
