"""The stations that keep a switch busy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dropzero.topologies.networks.kind import SwitchKind
from lab.bench.switch import STATIONS, aggregating, drive, forwarding

WINDOW = 4


@pytest.mark.skipif(os.geteuid() != 0, reason="emulated networks need root")
@pytest.mark.parametrize("kind", ["switch", "forwarder"])
def test_every_answer_triggers_the_next_packet(kind: str, tmp_path: Path) -> None:
    running = (
        aggregating(kind, SwitchKind.SOFTSWITCH, tmp_path, gso=False)
        if kind == "switch"
        else forwarding(kind, tmp_path, gso=False)
    )
    with running as contender:
        answered, _, _ = drive(contender.stations, WINDOW, 0.5)
    assert answered > 2 * STATIONS * WINDOW
