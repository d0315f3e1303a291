"""`dropzero controller` on the command line, with real switch processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dropzero.controller.commands.cli import app
from dropzero.controller.switches.switch import DEFAULT_MARK_FROM
from dropzero.membership.client import Membership, MembershipError, Place
from tests.conftest import free_port, running_switch

RACK = {
    "hosts": {f"h{i}": {"ip": f"10.0.0.{i}/24", "mac": f"08:00:00:00:0{i}:11"} for i in (1, 2, 3)},
    "switches": {"s1": {}},
    "links": [[f"h{i}", f"s1-p{i}"] for i in (1, 2, 3)],
}
COMMAND = [sys.executable, "-c", "from dropzero.controller.commands.cli import app; app()"]


@pytest.fixture
def topology(tmp_path: Path) -> Path:
    path = tmp_path / "topology.json"
    path.write_text(json.dumps(RACK))
    return path


@pytest.fixture
def listen(tmp_path: Path) -> str:
    return f"unix:{tmp_path}/controller.sock"


def ran(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "200", "TERM": "dumb"})


def asked(*arguments: str) -> Any:
    """The JSON that a verb prints."""
    done = ran(*arguments, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@contextmanager
def serving(topology: Path, switch: str, listen: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A controller that has reported that it is ready; skips its earlier output."""
    switches = [word for each in switch.split() for word in ("--switch", each)]
    command = [*COMMAND, "serve", "--topology", str(topology), *switches, "--listen", listen, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            for line in process.stdout:
                if line == f"ready: workers join at {listen}\n":
                    break
            else:
                pytest.fail(process.stderr.read())
            yield process
        finally:
            process.kill()


def join(member: Membership, host: int = 1, **wanted: Any) -> Place:
    asked = {"job": 3, "size": 1, "lanes": 4, "timeout": 20} | wanted
    return member.join(ip=f"10.0.0.{host}", udp_port=40000 + host, **asked)


def joined(*members: Membership, **wanted: Any) -> list[Place]:
    """Members of one job, on hosts 1, 2, ..."""
    with ThreadPoolExecutor(len(members)) as threads:
        asked = [
            threads.submit(join, member, rank + 1, size=len(members), rank=rank, **wanted)
            for rank, member in enumerate(members)
        ]
        return [each.result() for each in asked]


def test_every_command_shows_a_running_job(switch_address: str, topology: Path, listen: str) -> None:
    switch = ("--switch", switch_address)
    with serving(topology, switch_address, listen) as process:
        with Membership(listen) as member:
            place = join(member)
            (job,) = asked("jobs", *switch)
            assert job == {
                "job": 3,
                "epoch": place.epoch,
                "size": 1,
                "elastic": False,
                "first_slot": 0,
                "lanes": 4,
                "workers": [{"rank": 0, "port": 1, "ip": "10.0.0.1"}],
            }
            assert "10.0.0.1 (port 1)" in ran("jobs", *switch).stdout
            (worker,) = asked("workers", *switch)
            assert worker == {
                "job": 3,
                "rank": 0,
                "port": 1,
                "ip": "10.0.0.1",
                "mac": "08:00:00:00:01:11",
                "udp_port": 40001,
            }
            counters = asked("counters", *switch)
            assert counters["fate"]["completed"] == {"packets": 0, "bytes": 0}
            assert counters["delivery"] == {"delivered": 0, "lost": 0, "unaddressed": 0}
            slots = ran("slots", *switch, "--json")
            if slots.exit_code == 0:
                assert [slot["slot"] for slot in json.loads(slots.stdout)] == [0, 1, 2, 3]
                slot = asked("slot", "2", *switch)
                assert (slot["job"], slot["fresh"], slot["missing"]) == (3, False, [0])
                assert "no packet in this epoch yet" in ran("slot", "2", *switch).stdout
            else:
                assert "Register reads are not supported" in slots.stderr
            first, *_ = asked("ports", *switch)
            assert first == {
                "port": 1,
                "macs": ["08:00:00:00:01:11"],
                "flooded": True,
                "workers": [{"job": 3, "rank": 0}],
            }
            assert len(asked("forwarding", *switch)) == 3
            assert asked("forwarding", "08:00:00:00:02:11", *switch) == [{"mac": "08:00:00:00:02:11", "port": 2}]
            (look,) = ran("watch", *switch, "--controller", listen, "--count", "1", "--json").stdout.splitlines()
            assert json.loads(look)["jobs"] == [{"job": 3, "epoch": place.epoch, "lanes": 4, "members": [0]}]
            (known,) = asked("waiting", "--controller", listen)
            assert (known["state"], known["first_slots"], known["workers"]) == (
                "running",
                {"s1": 0},
                [{"rank": 0, "ip": "10.0.0.1", "connected": True}],
            )
            assert "s1: 0-3" in ran("waiting", "--controller", listen).stdout
        assert asked("jobs", *switch) == []
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors
        assert output.splitlines()[-1] == "stopped"


def test_an_operator_changes_what_runs(switch_address: str, topology: Path, listen: str) -> None:
    switch, controller = ("--switch", switch_address), ("--controller", listen)
    with serving(topology, switch_address, listen), ExitStack() as closing:
        members = [closing.enter_context(Membership(listen)) for _ in range(2)]
        epoch = joined(*members)[1].epoch

        assert asked("resize", "3", "8", *controller) == {"done": "job 3 has 8 slots"}
        assert asked("jobs", *switch)[0]["lanes"] == 8
        place = members[0].changed(epoch, timeout=600)
        while place.lanes != 8:
            place = members[0].changed(place.epoch, timeout=600)
        assert ran("resize", "3", "5000", *controller).stderr.startswith("dropzero controller: 5000 slots requested")
        assert "99999999999 is not in the range" in ran("resize", "3", "99999999999", *controller).stderr

        assert ran("reset", "3", *controller).exit_code == 0
        place = members[0].changed(place.epoch, timeout=600)
        assert place.why == "job 3: the operator emptied its slots"
        assert asked("reset", "--counters", *controller) == {"done": "the switch's counters are 0"}
        assert ran("reset", *controller).exit_code == 2

        assert ran("evict", "3", "1", *controller).stdout == "job 3 continues without worker 1\n"
        place = members[0].changed(place.epoch, timeout=600)
        assert place.members == (0,)
        with pytest.raises(MembershipError, match="the operator removed worker 1 at"):
            members[1].changed(place.epoch, timeout=600)
        assert ran("evict", "3", "1", *controller).stderr == "dropzero controller: job 3 has no worker 1: it has 0\n"
        assert ran("evict", "4", "1", *controller).stderr == "dropzero controller: job 4 is not running\n"

        assert ran("loss", "set", "--uplink", "0.5", *controller).exit_code == 0
        assert asked("loss", "show", *switch) == {"uplink": 0.5, "downlink": 0.0}
        assert asked("marking", "show", *switch) == {"packets": DEFAULT_MARK_FROM}
        assert ran("marking", "set", "7", *controller).stdout == "packets are marked from a queue of 7 on\n"
        assert asked("marking", "show", *switch) == {"packets": 7}
        assert ran("loss", "set", "--uplink", "0", *controller).exit_code == 0

        for ip, why in (("10.0.0.1", "a host has the address 10.0.0.1"), ("0.0.0.0", "workers cannot send to 0.0.0.0")):
            assert ran("address", "set", ip, *controller).stderr == f"dropzero controller: {why}\n"
        assert ran("address", "set", "10.0.0.253", *controller).exit_code == 0
        assert asked("address", "show", *switch)["ip"] == "10.0.0.253"
        assert members[0].changed(place.epoch, timeout=600).switch_ip == "10.0.0.253"
        for each in members:
            each.leave()


def test_a_killed_controller_is_replaced_and_the_job_continues(
    switch_address: str, topology: Path, listen: str
) -> None:
    with ExitStack() as closing:
        with serving(topology, switch_address, listen) as former:
            members = [closing.enter_context(Membership(listen)) for _ in range(2)]
            epoch = joined(*members, token="secret")[1].epoch
            former.kill()
            former.wait()
        before = asked("jobs", "--switch", switch_address)
        with serving(topology, switch_address, listen) as process:
            assert asked("jobs", "--switch", switch_address) == before
            assert members[1].place.epoch == epoch
            assert process.stdout is not None
            for _ in members:
                assert next(process.stdout).endswith("is back\n")
            members[1].leave()
            place = members[0].changed(epoch, timeout=600)
            assert place.members == (0,)
            assert place.epoch > epoch
            members[0].leave()


def test_a_controller_whose_reports_are_not_read_keeps_serving(
    switch_address: str, topology: Path, listen: str
) -> None:
    with serving(topology, switch_address, listen) as process, ExitStack() as closing:
        assert process.stdout is not None
        process.stdout.close()
        members = [closing.enter_context(Membership(listen)) for _ in range(2)]
        epoch = joined(*members)[0].epoch
        members[1].close()
        assert members[0].changed(epoch, timeout=600).members == (0,)
        assert asked("jobs", "--switch", switch_address)[0]["workers"] == [{"rank": 0, "port": 1, "ip": "10.0.0.1"}]


def test_a_controller_whose_disk_is_full_keeps_serving(switch_address: str, topology: Path, listen: str) -> None:
    command = [*COMMAND, "serve", "--topology", str(topology), "--switch", switch_address, "--listen", listen]
    with open("/dev/full", "w") as full, subprocess.Popen(command, stdout=full, stderr=subprocess.PIPE) as process:
        try:
            with Membership(listen, timeout=60) as member:
                assert join(member).rank == 0
                member.leave()
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(600) == 0


@pytest.mark.parametrize("kind", ["softswitch", "bmv2"])
def test_when_a_killed_switch_comes_back_so_do_its_jobs(kind: str, topology: Path, listen: str, tmp_path: Path) -> None:
    port = free_port()
    with ExitStack() as controller:
        with running_switch(kind, tmp_path / "log", port=port) as switch:
            process = controller.enter_context(serving(topology, switch, listen))
            member = controller.enter_context(Membership(listen))
            place = join(member)
        assert process.stdout is not None
        assert any("waiting for it" in line for line in process.stdout)
        with running_switch(kind, tmp_path / "log", port=port) as switch:
            again = member.changed(place.epoch, timeout=600)
            assert again.why == "job 3: the switch restarted"
            (job,) = asked("jobs", "--switch", switch)
            assert job["epoch"] == again.epoch
            assert len(asked("forwarding", "--switch", switch)) == 3
            member.leave()


RACKS = {
    "hosts": RACK["hosts"],
    "switches": {"s1": {}, "s2": {}, "s3": {}},
    "links": [["h1", "s1-p1"], ["h2", "s2-p1"], ["h3", "s2-p2"], ["s1-p9", "s3-p1"], ["s2-p9", "s3-p2"]],
}


@pytest.mark.parametrize("kind", ["softswitch", "bmv2"])
def test_a_job_on_several_switches_survives_a_leaf_and_the_controller(kind: str, listen: str, tmp_path: Path) -> None:
    topology = tmp_path / "racks.json"
    topology.write_text(json.dumps(RACKS))
    ports = {name: free_port() for name in ("s1", "s2", "s3")}
    at = {name: f"127.0.0.1:{port}" for name, port in ports.items()}

    def started(name: str) -> Any:
        return running_switch(kind, tmp_path / f"{name}.log", ports[name], int(name[1]) - 1)

    def epoch(name: str) -> int:
        (job,) = asked("jobs", "--switch", at[name], "--device-id", str(int(name[1]) - 1))
        return int(job["epoch"])

    with ExitStack() as stack:
        leaf = stack.enter_context(ExitStack())
        leaf.enter_context(started("s1"))
        for name in ("s2", "s3"):
            stack.enter_context(started(name))
        every = " ".join(f"{name}={address}" for name, address in at.items())
        controller = stack.enter_context(ExitStack())
        process = controller.enter_context(serving(topology, every, listen))
        members = [stack.enter_context(Membership(listen)) for _ in range(2)]
        place = joined(*members)[1]
        assert (place.switch_ip, place.members) == ("10.0.0.252", (0, 1))
        assert members[0].changed(0, timeout=600).switch_ip == "10.0.0.253"
        (job,) = asked("jobs", "--switch", at["s3"], "--device-id", "2")
        assert [each["ip"] for each in job["workers"]] == ["10.0.0.253", "10.0.0.252"]

        leaf.close()
        stack.enter_context(started("s1"))
        again = members[1].changed(place.epoch, timeout=600)
        assert (again.members, {epoch(name) for name in at}) == ((0, 1), {again.epoch})

        process.kill()
        process.wait()
        controller.close()
        process = stack.enter_context(serving(topology, every, listen))
        assert process.stdout is not None
        for _ in members:
            assert next(process.stdout).endswith("is back\n")
        assert members[0].epoch == again.epoch
        members[0].leave()
        assert members[1].changed(again.epoch, timeout=600).members == (1,)
        members[1].leave()


@pytest.mark.parametrize("kind", ["softswitch", "bmv2"])
def test_with_exit_with_switch_the_controller_ends_with_its_switch(
    kind: str, topology: Path, listen: str, tmp_path: Path
) -> None:
    with ExitStack() as controller:
        with running_switch(kind, tmp_path / "log") as switch:
            process = controller.enter_context(serving(topology, switch, listen, "--exit-with-switch"))
        _, errors = process.communicate(timeout=600)
    assert (process.returncode, errors) == (1, f"dropzero controller: the switch at {switch} went away\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serve", "--topology", "missing.json"], "cannot read the topology missing.json: No such file or directory"),
        (["serve", "--topology", "{topology}", "--p4info", "x"], "cannot read the P4Info x: No such file or directory"),
        (["serve", "--topology", "{topology}", "--json", "x"], "cannot read the compiled program x: No such file"),
        (["--tls-key", "x", "serve", "--topology", "{topology}"], "TLS needs three files: --tls-cert, --tls-key and"),
        (
            ["--tls-ca", "x", "loss", "set", "--uplink", "0"],
            "TLS needs three files: --tls-cert, --tls-key and --tls-ca",
        ),
        (["counters", "--switch", "{nobody}"], "no switch answers at {nobody}: is it running?"),
        (["evict", "1", "0", "--controller", "unix:/nowhere"], "no controller answers at unix:/nowhere"),
    ],
)
def test_errors_are_one_line_with_exit_status_2(topology: Path, arguments: list[str], message: str) -> None:
    names = {"topology": str(topology), "nobody": f"127.0.0.1:{free_port()}"}
    done = ran(*(each.format(**names) for each in arguments))
    assert done.exit_code == 2
    assert done.stderr.startswith(f"dropzero controller: {message.format(**names)}")
    assert done.stderr.count("\n") == 1


def test_a_controller_that_can_open_too_few_files_says_how_many_it_needs(topology: Path) -> None:
    arguments = ["serve", "--topology", str(topology), "--switch", "127.0.0.1:1"]
    done = subprocess.run(
        ["bash", "-c", 'ulimit -n 12 && exec "$@"', "bash", *COMMAND, *arguments], capture_output=True
    )
    told = "80 open files are needed, and 12 are allowed: allow more with `ulimit -n 80`"
    assert (done.returncode, done.stderr.decode()) == (2, f"dropzero controller: {told}\n")
