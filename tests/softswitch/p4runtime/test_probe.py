"""A long sequence of requests to the switch and to BMv2, compared line by line.

programs/probe.bmv2.txt has the answers of BMv2 (simple_switch_grpc 1.15.5), and programs/probe.differences.txt the
intended different answers of this switch, with the reasons.
"""

from __future__ import annotations

import hashlib
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.softswitch.client import PROGRAMS
from tests.softswitch.probe import Probe

BMV2 = "simple_switch_grpc"
BMV2_VERSION = "1.15.5"
COMPILER = "1.2.3.8"
"""The p4c version that made the committed program; others format the JSON differently."""


def answers(name: str) -> dict[str, str]:
    """Answers by question."""
    lines = (PROGRAMS / name).read_text().splitlines()
    return dict(line.split(" -> ", 1) for line in lines if line and not line.startswith("#"))


@contextmanager
def probed(*command: str) -> Iterator[Probe]:
    """Runs a switch with this command, and its probe."""
    with ExitStack() as free:
        sockets = [free.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]
        ports = [each.getsockname()[1] for each in sockets]
    p4runtime, dataplane = (f"127.0.0.1:{port}" for port in ports[:2])
    process = subprocess.Popen(
        [
            *command, "--no-p4", "--thrift-port", str(ports[2]), "--", "--cpu-port", "255",
            "--grpc-server-addr", p4runtime, "--dp-grpc-server-addr", dataplane,
        ],
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        probe = Probe(p4runtime, dataplane)
        yield probe
        probe.close()
    finally:
        process.kill()
        process.wait()


def test_the_switch_answers_like_bmv2_except_for_listed_differences() -> None:
    bmv2, different = answers("probe.bmv2.txt"), answers("probe.differences.txt")
    assert all(different[name] != bmv2[name] for name in different), "a difference that is none"
    with probed(sys.executable, "-m", "dropzero.softswitch") as probe:
        assert probe.run() == bmv2 | different


def test_bmv2_answers_as_recorded() -> None:
    if shutil.which(BMV2) is None:
        pytest.skip(f"there is no {BMV2} on PATH: only its recorded answers were compared")
    version = subprocess.run([BMV2, "--version"], capture_output=True, text=True, check=False).stdout
    if not version.startswith(BMV2_VERSION):
        pytest.skip(f"this {BMV2} is not {BMV2_VERSION}")
    with probed(BMV2) as probe:
        assert probe.run() == answers("probe.bmv2.txt")


@pytest.mark.parametrize("name", ["kinds", "probe"])
def test_compiling_a_program_again_gives_the_same(name: str, tmp_path: Path) -> None:
    compiler = shutil.which("p4c-bm2-ss")
    if compiler is None:
        pytest.skip("p4c is not installed: the compiled programs were not compared with their sources")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    if COMPILER not in version.stdout + version.stderr:
        pytest.skip(f"this p4c is not {COMPILER}")
    # The compiled program contains the source's path.
    root = Path(__file__).parents[3]
    source = (PROGRAMS / f"{name}.p4").relative_to(root)
    outputs = ["-o", str(tmp_path / "json"), "--p4runtime-files", str(tmp_path / "p4info.txt")]
    command = [compiler, "--arch", "v1model", "--std", "p4-16", *outputs, str(source)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    assert digest(tmp_path / "json") == digest(PROGRAMS / f"{name}.json")
    assert digest(tmp_path / "p4info.txt") == digest(PROGRAMS / f"{name}.p4info.txtpb")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
