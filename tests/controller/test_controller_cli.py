"""`dropzero controller` as a person runs it, against real switch processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from controller.client import Membership
from tests.conftest import free_port, running_switch

RACK = {
    "hosts": {"h1": {"ip": "10.0.0.1/24", "mac": "08:00:00:00:01:11"}},
    "switches": {"s1": {}},
    "links": [["h1", "s1-p1"]],
}
COMMAND = [sys.executable, "-c", "from controller.cli import app; app()"]


@pytest.fixture
def topology(tmp_path: Path) -> Path:
    path = tmp_path / "topology.json"
    path.write_text(json.dumps(RACK))
    return path


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=60)


@contextmanager
def serving(topology: Path, switch: str, listen: str) -> Iterator[subprocess.Popen[str]]:
    """A controller that has said that it is ready."""
    command = [*COMMAND, "serve", "--topology", str(topology), "--switch", switch, "--listen", listen]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            if process.stdout.readline() != f"ready: workers join at {listen}\n":
                pytest.fail(process.stderr.read())
            yield process
        finally:
            process.kill()


def test_a_served_job_shows_in_jobs_counters_and_slots(switch_address: str, topology: Path, tmp_path: Path) -> None:
    listen = f"unix:{tmp_path}/controller.sock"
    with serving(topology, switch_address, listen) as process:
        with Membership(listen) as member:
            place = member.join(job=3, size=1, ip="10.0.0.1", udp_port=40000, lanes=4, timeout=20)
            (job,) = json.loads(ran("jobs", "--switch", switch_address, "--json").stdout)
            assert job == {
                "job": 3,
                "epoch": place.epoch,
                "first_slot": 0,
                "lanes": 4,
                "workers": [{"rank": 0, "port": 1, "ip": "10.0.0.1"}],
            }
            assert "10.0.0.1 (port 1)" in ran("jobs", "--switch", switch_address).stdout
            counters = json.loads(ran("counters", "--switch", switch_address, "--json").stdout)
            assert counters["fate"]["completed"] == {"packets": 0, "bytes": 0}
            assert counters["delivery"] == {"delivered": 0, "lost": 0, "unaddressed": 0}
            slots = ran("slots", "--switch", switch_address, "--json")
            if slots.returncode == 0:
                assert [slot["slot"] for slot in json.loads(slots.stdout)] == [0, 1, 2, 3]
            else:
                assert "Register reads are not supported" in slots.stderr
        assert json.loads(ran("jobs", "--switch", switch_address, "--json").stdout) == []
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=20)
        assert process.returncode == 0, errors
        assert output.splitlines()[-1] == "stopped"


@pytest.mark.parametrize("kind", ["softswitch", "bmv2"])
def test_a_controller_whose_switch_goes_away_says_so_and_ends(kind: str, topology: Path, tmp_path: Path) -> None:
    listen = f"unix:{tmp_path}/controller.sock"
    with ExitStack() as controller:
        with running_switch(kind, tmp_path / "log") as switch:
            process = controller.enter_context(serving(topology, switch, listen))
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (1, f"dropzero controller: the switch at {switch} went away\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serve", "--topology", "missing.json"], "cannot read the topology missing.json: No such file or directory"),
        (["serve", "--topology", "{topology}", "--p4info", "x"], "cannot read the P4Info x: No such file or directory"),
        (["serve", "--topology", "{topology}", "--json", "x"], "cannot read the compiled program x: No such file"),
        (["counters", "--switch", "{nobody}"], "no switch answers at {nobody}: is it running?"),
    ],
)
def test_what_is_not_there_is_one_line_and_exit_status_2(topology: Path, arguments: list[str], message: str) -> None:
    names = {"topology": str(topology), "nobody": f"127.0.0.1:{free_port()}"}
    done = ran(*(each.format(**names) for each in arguments))
    assert done.returncode == 2
    assert done.stderr.startswith(f"dropzero controller: {message.format(**names)}")
    assert done.stderr.count("\n") == 1
