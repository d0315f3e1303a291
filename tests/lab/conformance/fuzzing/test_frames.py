from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from lab.conformance.fuzzing.frames import GSO, VLAN, Traffic
from tests.support.p4runtime_client import PROGRAMS

SECONDS = 600
HANGS = """
import signal, sys
from collections import deque
from pathlib import Path
from lab.conformance.fuzzing import frames
frames.HANG_SECONDS = 0.5
run = frames._program
rounds = []
def stopping(*given):
    run(*given)
    rounds.append(given)
    if len(rounds) == 2:
        switch.process.signal(signal.%s)
switches = frames.running
from contextlib import contextmanager
@contextmanager
def known(*arguments, **more):
    global switch
    with switches(*arguments, **more) as switch:
        try:
            yield switch
        finally:
            switch.process.signal(signal.SIGKILL)
frames.running, frames._program = known, stopping
try:
    deque(frames.flood([Path(sys.argv[1])], 2000, 3, Path(sys.argv[2]), 0), 0)
except frames.SwitchEnded as error:
    print(error)
"""
"""Stops a switch in the second round."""


def test_traffic_has_everything_that_a_network_can_bring_and_more() -> None:
    some = list(islice(iter(Traffic(5).next, None), 2000))
    assert some == list(islice(iter(Traffic(5).next, None), 2000))
    kinds = {packet[1] for packet, _ in some}
    assert kinds >= {0, *GSO.values()}
    tags = [packet[22:].count(VLAN.to_bytes(2, "big"), 0, 16) for packet, _ in some]
    assert max(tags) >= 3
    assert min(len(packet) for packet, _ in some) < 10 + 40
    assert max(count for _, count in some) > 100


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_a_switch_receives_all_frames_and_keeps_its_memory(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lab.conformance", "frames", str(PROGRAMS), "--build", str(tmp_path)]
    done = subprocess.run(
        [*command, "--frames", "40000", "--rounds", "14"], capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.search(r"([\d,]+) frames in ([\d,]+) packets, ([\d,]+) packets back; 14 programs", done.stdout)
    assert counts is not None, done.stdout
    frames, packets, back = (int(each.replace(",", "")) for each in counts.groups())
    assert frames >= 40000 > packets > 0
    assert back > 100


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
@pytest.mark.parametrize(("signal", "error"), [("SIGSTOP", "frames still wait"), ("SIGKILL", "was killed by signal 9")])
def test_a_switch_that_hangs_or_ends_is_found_out(tmp_path: Path, signal: str, error: str) -> None:
    command = [sys.executable, "-c", HANGS % signal, str(PROGRAMS / "probe.json"), str(tmp_path / "log")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert error in done.stdout, done.stderr
