"""`dropzero simulate`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dropzero.cli import build
from dropzero.units import bits
from tests.support.terminal import at_a_terminal, shown

KEYS = [
    "call",
    "workers",
    "racks",
    "pods",
    "jobs",
    "rails",
    "rate",
    "size",
    "density",
    "scheme",
    "exact",
    "seconds",
    "formula_seconds",
    "baseline_seconds",
    "job_seconds",
    "hosted_seconds",
    "hosted_formula_seconds",
    "fairness",
    "uplink_bytes",
    "downlink_bytes",
    "link_bytes",
    "footprint_bytes",
    "bus_bandwidth",
    "retransmissions",
    "events",
    "wall_seconds",
    "max_memory",
]


STEP = Path(__file__).parents[2] / "examples" / "trace" / "step.et"


def simulate(*options: str) -> Result:
    return CliRunner().invoke(build("simulate"), ["simulate", *options])


def test_the_result_is_a_table_and_json(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    done = simulate("--workers", "4", "--racks", "2", "--rate", "1G", "--size", "40kB", "--json", str(file))
    assert done.exit_code == 0
    assert "every sum exact" in done.output
    result: dict[str, Any] = json.loads(file.read_text())
    assert re.search(rf"bus bandwidth +│ +{bits(8 * 40_000 / result['seconds'])} │ +1 Gbit/s", done.output)
    assert list(result) == KEYS
    assert (result["workers"], result["racks"], result["rate"], result["size"]) == (4, 2, 10**9, 40_000)
    assert result["exact"]
    assert result["downlink_bytes"] > result["size"] * 4
    links = result["link_bytes"]
    assert {kind: len(each) for kind, each in links.items()} == {"from hosts": 4, "to hosts": 4, "up": 2, "down": 2}
    assert (sum(links["from hosts"]), sum(links["to hosts"])) == (result["uplink_bytes"], result["downlink_bytes"])
    assert result["footprint_bytes"] == sum(map(sum, links.values()))
    assert result["bus_bandwidth"] == 8 * 40_000 / result["seconds"]
    assert f"{result['footprint_bytes'] / 40_000:.2f} times the tensor" in done.output


def test_a_job_without_slots_goes_through_the_aggregator(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    done = simulate(
        "--jobs", "2", "--slots", "64", "--aggregator", "--size", "40kB", "--calls", "2", "--json", str(file)
    )
    assert done.exit_code == 0
    assert "a job on the aggregator" in done.output
    result = json.loads(file.read_text())
    assert result["hosted_seconds"] == [0.0, result["job_seconds"][1]]
    assert len(result["link_bytes"]["to aggregator"]) == len(result["link_bytes"]["from aggregator"]) == 1


@pytest.mark.parametrize("words", [[], ["training", "examples/trace/step.et", "--figure", "/nowhere/at/all.png"]])
def test_a_result_is_shown_before_files_that_cannot_be_written(words: list[str]) -> None:
    done = CliRunner().invoke(build("simulate"), ["simulate", *words, "--workers", "2", "--json", "/nowhere/at/all"])
    assert "every sum exact" in done.output
    assert "No such file" in str(done.exception)


def test_long_links_of_high_rates_hold_more_packets_than_a_switch_can_count() -> None:
    assert simulate("--rate", "400G", "--delay", "30ms", "--density", "0.1", "--size", "4kB").exit_code == 0


def test_hosts_can_all_reduce_without_the_switch(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    done = simulate("--collective", "parameter-server", "--rate", "1G", "--size", "40kB", "--json", str(file))
    assert done.exit_code == 0
    assert "every sum exact" in done.output
    result = json.loads(file.read_text())
    assert result["scheme"] == "parameter server"
    assert len(result["link_bytes"]["from hosts"]) == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--workers", "33"], "33 need 2 racks or more"),
        (["--racks", "2x"], "'2x' is not a number of racks"),
        (["--outage", "spine"], "an outage is SWITCH=FROM-TO"),
        (["--outage", "spine=1ms-2ms"], "there is no switch spine: choose switch"),
        (["--outage", "switch=2ms-1ms"], "an outage of switch ends before it begins"),
        (["--policy", "luck"], "'luck' is not a policy"),
        (["--priorities", "high"], "'high' is not a list of priorities"),
        (["--priorities", "1,2"], "1,2 are the priorities of 2 jobs, and --jobs is 1"),
        (["--rails", "2", "--collective", "ring"], "only Dropzero splits tensors over rails"),
        (["--aggregator", "--collective", "ring"], "calls, and has an aggregator"),
        (["--workers", "20", "--jobs", "20"], "a switch has 299 ports"),
        (["--rate", "0"], "above 0"),
        (["--rate", "fast"], "'fast' is not a number"),
        (["--size", "1MB", "--json", "/nowhere/at/all"], "No such file"),
        (["--pcap", "/nowhere/at/all"], "No such file"),
        (["--collective", "rings"], "'rings' is not a collective: choose dropzero, ring, hierarchical-ring"),
        (["--collective", "halving-doubling", "--workers", "6"], "2, 4, 8, ... workers, not 6"),
        (["--collective", "hierarchical-ring", "--workers", "6", "--racks", "4"], "4 cannot share 6 workers"),
        (
            ["--collective", "parameter-server", "--workers", "1024", "--racks", "32"],
            "a switch forwards to up to 1024 addresses, not 1025",
        ),
    ],
)
def test_bad_options_are_errors(options: list[str], message: str) -> None:
    done = simulate("--size", "4kB", *options)
    assert message in str(done.exception) + done.output
    assert done.exit_code != 0


@pytest.mark.parametrize(
    ("durations", "message"),
    [
        ("forward", "is not a JSON object with a number of microseconds"),
        ('{"forward 0": "1 us"}', "is not a JSON object with a number of microseconds"),
        ('{"forward 0": -5}', "forward 0 takes -5 us"),
        ('{"forward 0": 1e400}', "forward 0 takes inf us"),
        ('{"forward 0": NaN}', "forward 0 takes nan us"),
    ],
)
def test_bad_durations_are_errors(durations: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "durations.json").write_text(durations)
    done = simulate("training", str(STEP), "--durations", str(tmp_path / "durations.json"))
    assert message in str(done.exception) + done.output
    assert done.exit_code != 0


def test_at_a_terminal_training_shows_how_far_it_is() -> None:
    words = ["simulate", "training", "examples/trace/step.et", "--workers", "4", "--rate", "25G"]
    with at_a_terminal(sys.executable, "-m", "dropzero", *words) as (process, terminal):
        text = shown(terminal)
        assert process.wait() == 0
    assert re.search(r"dropzero: .* of virtual time, [\d,]+ events", text)
