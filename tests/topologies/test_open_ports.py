"""What the commands open: nothing that another machine can reach, unless an option asks for it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from ipaddress import ip_address
from itertools import islice, product
from pathlib import Path

import pytest

from dropzero.linux.namespace import inside
from dropzero.softswitch.runtime_cli.connection import Connection, Refused
from dropzero.softswitch.thrift.wire import Malformed, i32, i64, string
from lab.conformance.harness.switches import free_port, wait_until
from tests.support.loopback import HOST, loopback
from tests.topologies.sockets import ROOT, Open, addresses, opened, other_machine, reachable

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

SECONDS = 600.0

DROPZERO = [sys.executable, "-P", "-m", "dropzero"]
WAITS = """
import time, numpy as np, dropzero
with dropzero.connect() as network:
    network.all_reduce(np.ones(4, np.float32))
    network.barrier()
    print("is up", flush=True)
    time.sleep(600)
"""
ADDS_UP = """
import sys, numpy as np, dropzero
from pathlib import Path
folder, wrong, calls, over = Path(sys.argv[1]), 0, 0, False
with dropzero.connect(token="only the workers know it") as network:
    while not over:
        wrong += bool((network.all_reduce(np.full(1000, 5, np.int32)) != 10).any())
        calls += 1
        if calls == 100:
            print("adds up", flush=True)
        over = network.all_reduce(np.array([(folder / "over").exists()], np.int32)).any()
    (folder / f"worker-{network.rank}").write_text(f"{wrong} wrong sums")
"""
USUAL = {*range(8060, 8064), *range(9090, 9100), *range(9559, 9562), *range(50051, 50060)}
"""Ports that switches and pages use by default."""


@contextmanager
def command(*words: str, until: str, times: int = 1) -> Iterator[int]:
    """Runs a command of dropzero until it has said `until` so many times. Yields its process id."""
    said: list[str] = []
    with subprocess.Popen([*DROPZERO, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                said.append(line)
                if sum(until in each for each in said) == times:
                    break
            else:
                pytest.fail("".join(said))
            yield process.pid
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


def exposed(found: set[Open]) -> set[Open]:
    """The sockets at which others than this machine's processes can reach a program. A worker receives from its switch
    alone, at its own address."""
    return {
        each
        for each in found
        if each.kind != "unix"
        and not ip_address(each.address).is_loopback
        and (each.root or each.kind != "udp" or not each.peer or ip_address(each.address).is_unspecified)
    }


def nobody_else_reaches(found: set[Open]) -> None:
    """Tries it from another machine."""
    with other_machine() as machine:
        assert not reachable(machine, USUAL | {each.port for each in found if each.kind == "tcp"})
        with socket.create_server((ROOT, 0)) as server:
            assert reachable(machine, {server.getsockname()[1]}), "the other machine reaches nothing at all"


def attacked(machine: str, ports: set[int]) -> set[tuple[str, int]]:
    """Writes to the slots' sums from another machine, over Thrift, at all addresses of this one. Returns those where it
    could connect."""
    found, here = set(), addresses()
    with inside(f"/run/netns/{machine}"):
        for place in product(here, ports):
            with suppress(OSError, Malformed, Refused):
                connection = Connection(*place)
                found.add(place)
                for half in (*range(16),) * 100:
                    where = (i32(0), string("ingress.slot.column0.sum"), i32(half))
                    connection.call("standard", "bm_register_write", *where, i64(5))
    return found


def test_another_machine_cannot_change_a_running_jobs_sums_over_thrift(tmp_path: Path) -> None:
    script, folder = tmp_path / "adds_up.py", tmp_path / "run"
    script.write_text(ADDS_UP)
    rack = ("--workers", "2", "--switch", "softswitch", "--out", str(folder))
    program = (sys.executable, str(script), str(tmp_path))
    with command("launch", *rack, "--", *program, until="adds up", times=2) as process, other_machine() as machine:
        ports = {each.port for each in opened(process) if each.kind == "tcp"}
        assert attacked(machine, USUAL | ports) == set()
        (tmp_path / "over").touch()
        said = [tmp_path / f"worker-{rank}" for rank in range(2)]
        assert wait_until(lambda: all(each.exists() for each in said), SECONDS)
        assert [each.read_text() for each in said] == ["0 wrong sums"] * 2


def test_a_rack_with_programs_is_closed(tmp_path: Path) -> None:
    script = tmp_path / "waits.py"
    script.write_text(WAITS)
    rack = ("--workers", "2", "--switch", "softswitch", "--out", str(tmp_path / "run"))
    with command("launch", *rack, "--", sys.executable, str(script), until="is up", times=2) as process:
        found = opened(process)
        kinds = [(each.kind, each.root) for each in found]
        assert kinds.count(("udp", False)) == 2
        assert ("tcp", True) in kinds
        assert ("unix", True) in kinds
        assert exposed(found) == set()
        nobody_else_reaches(found)


def test_a_run_with_its_page_is_closed(tmp_path: Path) -> None:
    rack = ("--workers", "2", "--switch", "softswitch", "--out", str(tmp_path / "run"))
    with command("run", *rack, "--steps", "1000000", until="see it at") as process:
        assert wait_until(lambda: sum(each.kind == "udp" for each in opened(process)) == 2, SECONDS)
        found = opened(process)
        assert len([each for each in found if each.kind == "tcp" and each.root]) == 2
        assert exposed(found) == set()
        nobody_else_reaches(found)


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed: torchrun was not tried")
def test_torchrun_is_closed_except_to_the_hosts_of_its_rack(tmp_path: Path) -> None:
    script = tmp_path / "waits.py"
    script.write_text(WAITS)
    rack = ("--workers", "2", "--switch", "softswitch", "--out", str(tmp_path / "run"))
    with command("torchrun", *rack, str(script), until="is up", times=2) as process:
        found = opened(process)
        assert not any(each.root or "torch" not in each.program for each in exposed(found))
        nobody_else_reaches(found)


def test_a_controller_an_aggregator_and_a_worker_are_closed(tmp_path: Path) -> None:
    with ExitStack() as stack:
        controller = stack.enter_context(loopback(tmp_path))
        worker = [sys.executable, "-c", WAITS]
        place = {"DROPZERO_CONTROLLER": controller, "DROPZERO_JOB": "1", "DROPZERO_SIZE": "1", "DROPZERO_IP": HOST}
        process = stack.enter_context(subprocess.Popen(worker, env=os.environ | place, stdout=subprocess.PIPE))
        stack.callback(process.kill)
        assert process.stdout is not None
        assert process.stdout.readline() == b"is up\n"
        found = opened(os.getpid())
        assert {each.kind for each in found} >= {"udp", "unix"}
        assert exposed(found) == set()


@pytest.mark.parametrize(("asked", "address"), [((), "127.0.0.1"), (("--thrift-ip", "0.0.0.0"), "0.0.0.0")])
def test_thrift_is_closed_unless_it_is_asked_for(tmp_path: Path, asked: tuple[str, ...], address: str) -> None:
    port = free_port()
    grpc = ("--grpc-server-addr", f"unix:{tmp_path}/p4runtime.sock")
    switch = [*DROPZERO, "switch", "--no-p4", "--thrift-port", str(port), *asked, *grpc]
    with subprocess.Popen(switch, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = list(islice(process.stdout, 2 + bool(asked)))
            assert f"Thrift server listening on {address}:{port}\n" in said
            assert [each.address for each in opened(process.pid) if each.kind == "tcp"] == [address]
            with other_machine() as machine:
                assert reachable(machine, {port}) == ({port} if asked else set())
            socket.create_connection(("127.0.0.1", port)).close()
        finally:
            process.kill()
