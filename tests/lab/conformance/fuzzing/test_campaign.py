"""Campaigns of the fuzzer: their steps, and a short one on the embedded switch alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from lab.conformance.fuzzing.campaign import STEPS, Campaign, Tally, programs_in, run
from lab.conformance.harness.scorecard import Expectations

PROGRAMS = Path(__file__).resolve().parents[3] / "softswitch" / "programs"
BMV2 = "simple_switch_grpc"


def campaign(first: int = 0) -> Campaign:
    return Campaign(
        tuple(programs_in([PROGRAMS])), packets=401, requests=50, malformed=70, rounds=2, batch=50, first=first
    )


def test_programs_have_their_p4info_beside_them(tmp_path: Path) -> None:
    (tmp_path / "lonely.json").write_text("{}")
    for name in ("a.json", "a.p4info.txt", "b.json", "b.p4.p4info.txtpb"):
        (tmp_path / name).write_text("")
    assert [path.name for path in programs_in([tmp_path])] == ["a.json", "b.json"]


def test_the_steps_cover_everything_and_can_be_resumed() -> None:
    steps = list(campaign())
    assert [plan.program.stem for _, plan in steps] == ["kinds", "probe", "psa"] * 2
    assert sum(plan.packets for _, plan in steps) == 401
    assert sum(plan.requests for _, plan in steps) == 50
    assert sum(plan.malformed for _, plan in steps) == 70
    assert len({plan.seed for _, plan in steps}) == 6
    assert list(campaign(first=3)) == steps[3:]


def test_memory_grows_when_the_last_round_left_more_than_the_first() -> None:
    assert not Tally(memory=[100]).grew
    assert not Tally(memory=[100, 130, 104]).grew
    assert Tally(memory=[100, 100, 120]).grew
    assert not Tally(memory=[100, 130, 138, 135]).grew
    assert Tally(memory=[100, 130, 140, 150]).grew


def test_the_switch_survives_a_campaign_and_agrees_with_bmv2_if_installed(tmp_path: Path) -> None:
    other, tally = BMV2 if shutil.which(BMV2) else None, Tally()
    steps = run(campaign(), other, Expectations.load("fuzz"), tmp_path, tally)
    heard = [(step, outcome.result) for step, _, outcome in steps]
    lines = [json.loads(line) for line in (tmp_path / STEPS).read_text().splitlines()]
    results = ["pass", "pass", "alone"] * 2
    assert heard == list(enumerate(results)), lines
    assert (tally.packets_in >= 401, tally.requests, tally.malformed) == (True, 50, 70)
    assert [line["step"] for line in lines] == list(range(6))
    assert len(tally.memory) == 2
    assert not tally.grew
