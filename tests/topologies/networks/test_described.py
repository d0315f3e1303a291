"""Networks described by a file, in the format of p4lang's tutorials. Most tests need root."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dropzero.topologies.networks.described import Described
from dropzero.topologies.networks.description import Description
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.registry.state import states
from tests.support import ROOT
from tests.support.training_runs import expected, train
from tests.topologies.networks.test_rack import left_of

root = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

TREE = ROOT / "examples" / "topology" / "tree.json"
PING = "ping -c 1 -W 10"


def written(folder: Path, **changes: Any) -> Path:
    """The example's file, modified."""
    path = folder / "topology.json"
    path.write_text(json.dumps(json.loads(TREE.read_text()) | changes))
    return path


def test_the_order_of_a_links_ends_does_not_matter(tmp_path: Path) -> None:
    links = json.loads(TREE.read_text())["links"]
    turned = written(tmp_path, links=[[link[1], link[0], *link[2:]] for link in links])
    found = Description.read(TREE)
    assert found.wires == Description.read(turned).wires
    assert [wire.lower[0] for wire in found.wires] == ["h1", "h2", "h3", "h4", "s1", "s2"]
    assert [(wire.upper, wire.delay, wire.rate) for wire in found.wires[2:]] == [
        (("s2", 1), 1, 100),
        (("s3", 3), None, None),
        (("s3", 1), None, None),
        (("s3", 2), 2, 200),
    ]
    assert found.racks == 3


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"links": [["h1", "s1-p1"], ["h2", "s1-p2"], ["h3", "s2-p1"], ["h4", "s3-p3"]]}, "no links lead from switch s1"),
    ({"links": [["h1", "s9-p1"]]}, "is not a link like"),
    ({"hosts": {"h1": {}}}, "host h1 needs an ip and a mac"),
    ({"hosts": {}}, "0 hosts"),
    ({"links": [["h1", "s1-p1", "soon"], ["h2", "s1-p2"], ["h3", "s2-p1"], ["h4", "s3-p3"], ["s1-p3", "s3-p1"],
                ["s2-p2", "s3-p2"]]}, "'soon' is not a number with one of the units"),
    ({"links": [["h1", "s1-p1", 1, 0], ["h2", "s1-p2"], ["h3", "s2-p1"], ["h4", "s3-p3"], ["s1-p3", "s3-p1"],
                ["s2-p2", "s3-p2"]]}, "0 is not a rate"),
    ({"links": [*json.loads(TREE.read_text())["links"], ["s1-p4", "s2-p4"]]}, "form a loop"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "complaint"), WRONG)
def test_errors_in_a_file_are_named(tmp_path: Path, changes: dict[str, Any], complaint: str) -> None:
    path = written(tmp_path, **changes)
    with pytest.raises(SetupError, match=complaint) as raised:
        Description.read(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--topology", "nowhere.json"], "cannot read the topology nowhere.json"),
        (["--topology", str(TREE), "--workers", "4"], "do not give --workers"),
        pytest.param(["--topology", str(TREE), "--jobs", "2"], "allows only one job", marks=root),
    ],
)
def test_a_wrong_command_prints_one_line(tmp_path: Path, options: list[str], complaint: str) -> None:
    command = [sys.executable, "-m", "dropzero", "run", *options, "--out", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert complaint in line


@root
def test_each_link_has_its_delay_and_rate_and_nothing_is_left(tmp_path: Path) -> None:
    with Described(Description.read(TREE), tmp_path, rate=50) as network:
        assert network.kind is SwitchKind.SOFTSWITCH
        written = json.loads(network.topology.read_text())
        assert written["hosts"] == json.loads(TREE.read_text())["hosts"]
        assert {frozenset(link) for link in written["links"]} == {
            frozenset(link[:2]) for link in json.loads(TREE.read_text())["links"]
        }
        impaired = {
            f"{switch.name} {switch.arguments[at + 1]}"
            for switch in network.switches
            for at, word in enumerate(switch.arguments)
            if word == "--impair"
        }
        assert {re.sub(r",limit=\d+", "", each) for each in impaired} == {
            "s1 1/out:rate=50000000",
            "s1 2/out:rate=50000000",
            "s2 1/in:delay=1000000ns",
            "s2 1/out:rate=100000000,delay=1000000ns",
            "s2 2/out:rate=200000000,delay=2000000ns",
            "s3 2/out:rate=200000000,delay=2000000ns",
            "s3 3/out:rate=50000000",
        }
        state = next(state for state in states() if state.prefix == network.name)
        network.start_switches()
        network.start_controller()
        # In another subnet, and two switches away.
        assert "1 received" in network.hosts[0].cmd(f"{PING} h3")
    assert left_of(state) == []


@root
def test_workers_on_all_tiers_train_the_same_weights_as_a_rack(tmp_path: Path, switch: str) -> None:
    """Switches need no number in their names."""
    names = {"s1": "west", "s2": "east", "s3": "root"}
    tree = json.loads(TREE.read_text())
    fast = [[re.sub("s[123]", lambda found: names[found[0]], end) for end in link[:2]] for link in tree["links"]]
    path = written(tmp_path, links=fast, switches={names[name]: each for name, each in tree["switches"].items()})
    (summary,) = train(tmp_path / "tree" / "run", topology=path, steps=4, switch=switch)
    assert (summary["workers"], summary["racks"]) == (4, 3)
    assert summary["parameters"]["topology"] == str(path)
    assert summary["weights_sha256"] == expected(4, 4)
    assert summary["trunk_bytes"] > 0


@root
def test_mininets_prompt_has_hosts_that_reach_each_other(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dropzero", "rack", "--cli", "--topology", str(TREE)]
    command += ["--out", str(tmp_path / "run")]
    typed = "nodes\npingall\nh1 dropzero --version\nexit\n"
    done = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    # Mininet prints to stderr.
    assert "h1 h2 h3 h4 s1 s2 s3" in done.stderr
    assert "0% dropped (12/12 received)" in done.stderr
    assert "dropzero 0." in done.stderr


def test_bmv2_cannot_delay(tmp_path: Path) -> None:
    if shutil.which("simple_switch_grpc") is None:
        pytest.skip("no simple_switch_grpc on PATH")
    with pytest.raises(SetupError, match="BMv2 cannot delay"):
        Described(Description.read(TREE), tmp_path, kind=SwitchKind.BMV2)


def test_mininet_leaves_others_loggers_as_they_are() -> None:
    """Its own class writes no line ends."""
    assert logging.getLoggerClass() is logging.Logger
