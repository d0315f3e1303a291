"""The papers' curves, with tiny tensors."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lab.bench.papers import atlahs, atp, footprint, omnireduce, protocols, switchml
from lab.bench.papers.__main__ import CURVES, app
from lab.bench.papers.chart import Curve, Kind, Panel, draw, write


def points(panel: Panel, label: str) -> dict[float, float]:
    return dict(next(curve.points for curve in panel.curves if curve.label == label))


def test_time_does_not_depend_on_workers_and_a_ring_is_slower() -> None:
    (panel,) = switchml.workers(400_000, (2, 8))
    dropzero, ring = points(panel, "Dropzero"), points(panel, "ring")
    assert dropzero[8] == pytest.approx(dropzero[2], rel=0.1)
    assert ring[8] < 0.8 * dropzero[8]


def test_few_slots_leave_links_idle() -> None:
    (panel,) = switchml.slots(100_000, (1, 64), (10,))
    times = points(panel, "10 Gbit/s")
    assert times[1] > 2
    assert times[64] < 1.3


def test_large_blocks_have_fewer_headers() -> None:
    (panel,) = switchml.packets(400_000, (32, 256))
    shares = points(panel, "Dropzero, blocks")
    assert 0.7 < shares[32] < shares[256] < 1


def test_loss_takes_time() -> None:
    timelines, times = switchml.loss(1_000_000, (0.0, 0.01))
    by_loss = points(times, "Dropzero")
    assert by_loss[1.0] > 1.1 * by_loss[0.0]
    without, with_loss = (curve.points[-1][0] for curve in timelines.curves)
    least, largest = times.curves[0].spread[1]
    assert without == pytest.approx(by_loss[0.0])
    assert least - 1e-6 < with_loss < largest + 1e-6
    assert least <= by_loss[1.0] <= largest


def test_switchmls_own_protocol_takes_the_time_that_its_authors_published() -> None:
    for workers, rate in switchml.SWITCHML:
        assert 0.4 / protocols.seconds(workers, 100, 1_600_000, 512) == pytest.approx(rate, rel=0.1)


def test_switchmls_protocol_takes_as_long_as_another_simulator_says() -> None:
    (panel,) = atlahs.curves(1 << 18)
    ours, theirs = points(panel, "SwitchML"), points(panel, "INC, atlahs-inc")
    assert ours.keys() == theirs.keys() == {4, 16, 64, 256}
    assert all(ours[size] == pytest.approx(theirs[size], rel=0.1) for size in ours)


@pytest.mark.parametrize("gigabits", [10, 100])
@pytest.mark.parametrize("pool", [1, 4, 128])
def test_switchmls_time_over_its_slots_follows_from_round_trips(gigabits: int, pool: int) -> None:
    time = protocols.seconds(4, gigabits, 400_000, pool)
    assert time == pytest.approx(protocols.least(gigabits, 400_000, pool), rel=0.1)


def test_zeros_are_left_out() -> None:
    panels = omnireduce.curves(400_000, (10,), (2, 4))
    full, none = (points(panels[0], f"overlap: {each}") for each in ("full", "none"))
    assert full[0] == none[0]
    assert full[96] > none[96] > 2 * none[0]
    assert points(panels[1], "99 % zero")[4] > points(panels[1], "0 % zero")[4]


def test_a_step_gains_less_than_its_all_reduces_and_dense_ones_what_a_ring_costs() -> None:
    (panel,) = omnireduce.models(400_000, (10,))
    alone, step = points(panel, "all-reduces alone"), points(panel, "with computing")
    names = list(omnireduce.MODELS)
    assert alone[names.index("VGG19")] == pytest.approx(2 * 7 / 8, rel=0.05)
    assert alone[names.index("DeepLight")] > alone[names.index("LSTM")] > alone[names.index("NCF")] > 2 * 7 / 8
    assert all(1 < step[at] < alone[at] for at in step)
    assert points(panel, "OmniReduce with DPDK over NCCL with TCP/IP").keys() == set(range(len(names)))


def test_jobs_share_links_and_slots() -> None:
    together, gain, shares = atp.curves(100_000, (1, 2))
    dropzero = points(together, "Dropzero")
    assert dropzero[1] < dropzero[2] < 2.1 * dropzero[1]
    others = max(points(together, label)[2] for label in ("ring", "hierarchical ring", "parameter server"))
    assert points(gain, "simulated")[2] == pytest.approx(dropzero[2] / others)
    assert points(shares, "equal shares")[2] <= points(shares, "equal shares")[1]


def test_a_host_helps_jobs_that_wait_for_slots_and_is_slow() -> None:
    mean, slowest = atp.slots(1_600_000, (1, 4))
    times = {curve.label: dict(curve.points)[4] for curve in mean.curves}
    assert 1 < times["best effort, host"] < min(times["first come, in line"], times["weighted fair"])
    on_host, formula, fair = (dict(curve.points)[4] for curve in slowest.curves)
    assert fair < on_host
    assert formula < on_host


def test_a_ring_gathers_with_more_bytes_the_more_workers_there_are() -> None:
    (panel,) = footprint.curves(100_000, (2, 8, 32))
    ratios, bound = points(panel, "Dropzero"), points(panel, "2 - 2/P")
    assert bound == {2: 1.0, 8: 1.75, 32: 1.9375}
    assert all(0.8 * bound[workers] < ratio < bound[workers] for workers, ratio in ratios.items())
    assert list(ratios.values()) == sorted(ratios.values())


def test_a_command_writes_all_points_and_draws_them(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["switchml-packets", "--size", "40kB", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    with (tmp_path / "switchml-packets.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["kind"] for row in rows} == set(Kind) - {Kind.MEASURED}
    assert all(row["source"] for row in rows if row["kind"] == Kind.PUBLISHED)
    assert (tmp_path / "switchml-packets.png").read_bytes().startswith(b"\x89PNG")


def test_every_curve_has_a_command() -> None:
    help = CliRunner().invoke(app, ["--help"]).output
    assert all(name in help for name in CURVES)


def test_crowded_panels_are_drawn_and_written(tmp_path: Path) -> None:
    curves = [Curve(f"line {place}", Kind.SIMULATED, [(1, 1), (2, 2)], place) for place in range(7)]
    panels = [Panel("all", "x", "y", curves), Panel("log", "x", "y", curves, "xy", (1, 2))]
    draw(panels, tmp_path / "all.png")
    write(panels, tmp_path / "all.csv")
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 1 + 2 * 7 * 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--size", "large"], "'large' is not a number"),
        (["--size", "3B"], "a tensor of float32 has 4 bytes"),
        # Before minutes of simulation.
        (["--out", "/proc/papers"], "No such file or directory: '/proc/papers'"),
    ],
)
def test_a_mistake_is_a_message(
    options: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["switchml-slots", *options], env={"COLUMNS": "200"})
    assert done.exit_code == 2
    assert message in done.output
