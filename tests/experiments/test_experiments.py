"""Experiments in process, and one on a real rack."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pytest
import typer
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from scapy.utils import wrpcap
from sklearn.datasets import dump_svmlight_file

from dropzero.compressors.in_process import InProcessNetwork
from dropzero.experiments.captured import captured
from dropzero.experiments.catalogue import EXPERIMENTS
from dropzero.experiments.claims.blocks.independent import SWEPT, WIRE
from dropzero.experiments.claims.feedback.digits import EXPECTED, FEEDBACK, NEAR, distance, trials
from dropzero.experiments.claims.links.table import SCHEMES, markdown
from dropzero.experiments.cli import app
from dropzero.experiments.places import LANES, in_process, on_rack, one_blas_thread
from dropzero.experiments.report import Point, draw, line
from dropzero.experiments.run import run
from dropzero.experiments.trials.experiment import Axes, Row, Verdict, at_most
from dropzero.experiments.trials.measure import QUERY, Traffic
from dropzero.protocol.wire import UDP_PORT

MTU = 1500
COMMAND = [sys.executable, "-m", "dropzero", "experiment"]


@pytest.mark.parametrize(
    "name",
    [
        "cat",
        "choices",
        "worth",
        "integers",
        "independent",
        "heterogeneous",
        "bits",
        "marina",
        "contraction",
        "histograms",
        "zeros",
        "constant",
        "thc",
    ],
)
def test_claims_hold_in_one_process(name: str, tmp_path: Path) -> None:
    """At two sizes."""
    experiment = EXPERIMENTS[name]
    if name == "independent":
        # The second size of a quick trial must be the one that tries several tau.
        experiment = replace(experiment, workers=(5, SWEPT))
    verdict = experiment.judge(list(in_process(experiment, True, tmp_path)))
    assert verdict.holds, verdict.broken


def test_claims_hold_for_the_data_of_a_file(tmp_path: Path) -> None:
    """Ternary features of two classes, as sparse as those of LIBSVM's sets, through the command."""
    draw = np.random.default_rng(1)
    features = draw.integers(-1, 2, (400, 20)) * (draw.random((400, 20)) < 0.3)
    labels = np.where(features @ draw.standard_normal(20) + draw.standard_normal(400) > 0, 1, 2)
    dump_svmlight_file(features, labels, str(tmp_path / "two.svm"))
    command = [*COMMAND, "heterogeneous", "--data", "two.svm", "--where", "process", "--out", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "data: two.svm" in (tmp_path / "out/report.html").read_text()


@pytest.mark.parametrize(
    ("claim", "text", "problem"),
    [
        ("cat", "", "cat can't use it; these can: memory, isaga, heterogeneous, diana"),
        ("diana", None, "No such file or directory"),
        ("diana", "a table\n", "is not in svmlight's format"),
        ("diana", "1 1:1\n2 1:2\n3 2:1\n" * 50, "must have two labels, not 3"),
        ("diana", "1 1:1\n2 1:2\n", "has 2 samples; claims need at least 100"),
        ("diana", "1 1:nan\n2 1:2\n" * 50, "has features that are not finite"),
        ("diana", "1 1:1\n2 9000000:2\n" * 50, "has 100 samples of 9,000,000 features, more than 50,000,000 numbers"),
    ],
)
def test_a_file_that_claims_cannot_use_is_refused(claim: str, text: str | None, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "data"
    if text is not None:
        file.write_text(text)
    with pytest.raises(typer.BadParameter, match=problem):
        app([claim, "--where", "process", "--data", str(file)], standalone_mode=False)


def test_digits_accuracies_match_an_independent_implementation() -> None:
    with one_blas_thread():
        rows = list(trials({spec: spec for spec in EXPECTED}, seeds=3)(InProcessNetwork(8), False))

    assert {row["series"] for row in rows} == set(EXPECTED)
    assert distance(rows) <= NEAR


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_a_rack_measures_the_same_as_one_process(tmp_path: Path) -> None:
    """The same random draws and, through the P4 program, the same sums: equal to the last bit."""
    experiment = replace(FEEDBACK, hosts=4)
    with one_blas_thread():
        expected = list(experiment.trials(InProcessNetwork(4, lanes=LANES), True))

    rows = list(on_rack(experiment, True, tmp_path / "rack"))

    def learned(measured: list[Row]) -> list[list[object]]:
        return [[row[key] for key in ("series", "step", "accuracy", "held-out loss", "union")] for row in measured]

    assert learned(rows) == learned(expected)
    for row, modelled in zip(rows, expected, strict=True):
        again = float(row["retransmissions"]) * MTU
        assert (
            0.95 * float(modelled["bytes up"]) <= float(row["bytes up"]) <= 1.05 * float(modelled["bytes up"]) + again
        )


def test_bytes_do_not_depend_on_how_long_others_are_waited_for() -> None:
    """Workers that wait ask again and again, on a busy machine more often."""

    class Waiting(InProcessNetwork):
        asked = 0

        @property
        def statistics(self) -> dict[str, int]:
            counts = super().statistics
            bytes_ = {name: counts[name] + QUERY * self.asked for name in ("bytes_sent", "bytes_received")}
            return counts | bytes_ | {"queries": self.asked}

    network = Waiting(2)
    traffic, exact = Traffic(network), Traffic(InProcessNetwork(2))
    network.asked = 7
    assert traffic.row() == exact.row() | {"retransmissions": 3.5}


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_captured_bytes_equal_what_the_workers_count(tmp_path: Path) -> None:
    with one_blas_thread():
        (_, modelled) = WIRE.trials(InProcessNetwork(3, lanes=LANES), True)
    (_, row) = on_rack(replace(WIRE, hosts=3), True, tmp_path / "rack")
    assert row["iterations"] == modelled["iterations"]
    files = sorted((tmp_path / "rack").glob("rows-*.jsonl"))
    counted = [json.loads(path.read_text().splitlines()[-1]) for path in files]
    assert len(counted) == 3
    repeated = sum(each["retransmissions"] for each in counted) * MTU / len(counted)
    for way in ("up", "down"):
        mean = sum(each[f"bytes {way}"] for each in counted) / len(counted)
        # Retransmissions may pass outside of the row's time.
        assert row[f"bytes {way}"] == pytest.approx(mean, abs=repeated)
        assert row[f"bytes {way}"] == pytest.approx(modelled[f"bytes {way}"], abs=repeated)


def test_captured_bytes_are_counted_within_each_rows_time(tmp_path: Path) -> None:
    def frame(at: float, payload: int, port: int = UDP_PORT) -> Packet:
        made: Packet = Ether() / IP() / UDP(dport=port) / bytes(payload)
        made.time = at
        return made

    for name, frames in {
        "s1-eth1_in": [frame(1, 10), frame(2, 20), frame(2.5, 1000, UDP_PORT + 1), frame(3, 30)],
        "s1-eth2_in": [frame(2, 100)],
        "s1-eth1_out": [frame(2.5, 200)],
        "s1-eth2_out": [frame(9, 300)],
    }.items():
        wrpcap(str(tmp_path / f"{name}.pcap"), frames)
    row: Row = {"series": "a", "workers": 2, "bytes up": 7.0, "bytes down": 8.0, "began": 1.5, "ended": 3.0}
    headers = len(frame(0, 0))
    (found,) = captured([row], tmp_path)
    assert (found["bytes up"], found["bytes down"]) == ((3 * headers + 150) / 2, (headers + 200) / 2)
    assert (found["counted up"], found["counted down"]) == (7.0, 8.0)


def test_the_command_writes_a_figure_a_csv_a_verdict_and_a_page(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [*COMMAND, "counterexample", "--where", "process", "--quick", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert "6.1517 times" in done.stdout
    folder = out / "counterexample"
    with (folder / "process.csv").open() as file:
        assert {row["series"] for row in csv.DictReader(file)} == {"top-1", "top-1, EF"}
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((folder / "verdict.json").read_text())["places"]["process"]["holds"] is True
    (growth, _) = json.loads((folder / "verdict.json").read_text())["places"]["process"]["conditions"]
    assert growth["measured"] <= growth["threshold"] == 1e-3
    page = (out / "report.html").read_text()
    figure, data = re.findall(r'(?:src|href)="data:[^;]*;base64,([^"]*)"', page)[::-1]
    assert b64decode(figure) == (folder / "figure.png").read_bytes()
    assert b64decode(data) == (folder / "process.csv").read_bytes()
    assert not re.search(r'(?:src="(?!data:)|href="(?!data:|https:))', page), "the page needs no other file"
    assert '[<a href="https://arxiv.org/abs/2002.12410">Biased</a>]' in page
    assert "fewer steps (<code>--quick</code>); workers in process: " in page
    assert "Holds in process" in page
    assert ", at most 0.001</li>" in page
    assert '<h2>[<a href="https://arxiv.org/abs/2002.12410">Biased</a>]</h2>\n<h3>counterexample</h3>' in page
    assert "; of 2 conditions 2 hold, with the least slack: " in page


@pytest.mark.parametrize(
    ("why", "refuted", "good"), [("", "", False), ("", "x", False), ("x", "x", True), ("x", "", False)]
)
def test_a_claim_may_fail_only_as_recorded(why: str, refuted: str, good: bool, tmp_path: Path) -> None:
    def verdict(rows: Sequence[Row]) -> Verdict:
        return Verdict("measured", [at_most("broken", 2, 1, why)])

    row: Row = {"series": "a", "workers": 1, "iterations": 1.0}
    experiment = replace(
        EXPERIMENTS["isgd"], name="made up", trials=lambda *_: iter([row]), verdict=verdict, refuted=refuted
    )
    assert run([experiment], ["process"], True, tmp_path) == good
    assert ("Known not to hold here: x." in (tmp_path / "report.html").read_text()) == bool(refuted)


def test_a_band_is_the_confidence_interval_of_the_mean_over_seeds() -> None:
    rows: list[Row] = [{"series": "a", "seed": seed, "step": 1, "loss": float(seed)} for seed in range(1, 6)]
    axes = Axes("step", "loss")
    # Student's t of 4 degrees of freedom times the standard error.
    (point,) = line(rows, "a", axes)
    assert point == pytest.approx((1, 3, 2.776 * (2.5 / 5) ** 0.5), rel=1e-3)
    # No interval for few seeds, or for rows that differ in something else.
    assert line(rows[:4], "a", axes) == [Point(1, 2.5, 0)]
    assert line([row | {"seed": 0} for row in rows], "a", axes) == [Point(1, 3, 0)]


def test_the_figure_marks_runs_that_were_given_up(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"series": "a", "workers": 5, "iterations": 20.0},
        {"series": "b", "workers": 5, "iterations": inf},
    ]
    draw(EXPERIMENTS["isgd"], {"process": rows}, tmp_path / "figure.png")
    assert line(rows, "b", EXPERIMENTS["isgd"].axes) == []


def test_an_unknown_name_prints_one_line_and_exits_with_2() -> None:
    done = subprocess.run([*COMMAND, "perpetuum"], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2
    assert "perpetuum is not one of all, feedback, " in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_table_is_markdown_with_one_line_per_scheme() -> None:
    row: Row = {
        "series": "dense",
        "spec": "none",
        "accuracy": 0.98,
        "bytes up": 16e6,
        "bytes down": 2e3,
        "seconds": 3.21,
    }
    assert markdown([row]).splitlines()[-1] == "| dense | `none` | 98.0 % | 16.0 MB | 2.0 kB | 3.2 |"
    assert len(SCHEMES) > 5
