"""Forged packets, made from packets that were seen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dropzero.protocol.wire import HEADER, UDP_PORT, Kind
from lab.chaos.injection.forgery import Endpoint, Forger, Packet, datagram

WORKER: Endpoint = (b"\x08\0\0\0\0\1", b"\x0a\0\0\1", 40_000)
SWITCH: Endpoint = (b"\x08\0\0\0\1\0", b"\x0a\0\0\xfe", UDP_PORT)


def contribution() -> bytes:
    header = np.zeros(1, HEADER)
    header["version_marked_congested_kind"] = Kind.CONTRIBUTION.first_byte
    header["epoch"], header["round"] = 7, 1000
    return header.tobytes()


def test_a_packet_that_was_seen_is_known_by_its_direction() -> None:
    up = Packet.parse(datagram(WORKER, SWITCH, contribution()))
    down = Packet.parse(datagram(SWITCH, WORKER, contribution()))
    assert up == Packet(WORKER, SWITCH, True, contribution())
    assert down == Packet(WORKER, SWITCH, False, contribution())


def test_of_a_train_of_packets_the_first_is_seen() -> None:
    found = Packet.parse(datagram(WORKER, SWITCH, 3 * contribution()))
    assert found is not None
    assert found.payload == contribution()


def test_other_packets_are_not_recognized() -> None:
    assert Packet.parse(b"") is None
    assert Packet.parse(datagram(WORKER, (*SWITCH[:2], 53), contribution())) is None


def test_forgeries_are_of_every_kind_and_some_are_of_the_right_place() -> None:
    real = Packet(WORKER, SWITCH, True, contribution())
    forger = Forger(0)
    payloads = [forger.payload(real) for _ in range(2000)]
    whole = np.frombuffer(
        b"".join(each[: HEADER.itemsize] for each in payloads if len(each) >= HEADER.itemsize), HEADER
    )
    assert {int(first) & 7 for first in whole["version_marked_congested_kind"]} >= set(Kind)
    assert {int(worker) >> 7 for worker in whole["declines_worker"]} == {0, 1}
    right = (whole["epoch"] == 7) & (whole["round"] == 1000)
    assert 0.2 < right.mean() < 0.9


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_forged_packets_change_no_sum_and_cost_no_worker_its_place(tmp_path: Path) -> None:
    out = tmp_path / "forge"
    command = [sys.executable, "-m", "lab.chaos.forge", "--packets", "4000", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((out / "summary.json").read_text())
    assert summary["forged"] >= 4000
    assert summary["results"] > 50
    assert [summary[name] for name in ("wrong", "differing", "hung", "lost", "left_behind")] == [0, 0, 0, 0, 0]
