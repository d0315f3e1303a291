"""The switch under BMv2's names, started as p4lang's tutorials and p4-utils do."""

from __future__ import annotations

import gc
import os
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dropzero.cli import build
from dropzero.softswitch import cli, daemon, launchers
from dropzero.topologies.networks.kind import SwitchKind
from lab.conformance.harness.switches import free_port, wait_until
from tests.support.namespace import Namespace
from tests.support.p4runtime_client import PROGRAMS

SECONDS = 600.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    launchers.write(tmp_path / "bin")
    return tmp_path / "bin"


def listening(port: int, inside: tuple[str, ...]) -> bool:
    shown = subprocess.run([*inside, "ss", "-Hltn", f"sport = :{port}"], capture_output=True, text=True, check=True)
    return bool(shown.stdout)


def test_simple_switch_forwards_by_the_entries_of_simple_switch_cli(
    folder: Path, namespace: Namespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    namespace.ip("link", "set", "lo", "up")
    inside, port = ("ip", "netns", "exec", namespace.name), free_port()
    command = [
        *("simple_switch", "-i", "1@sw1", "-i", "2@sw2", "--pcap", str(tmp_path / "pcaps"), "--thrift-port", str(port)),
        *("--nanolog", "ipc:///tmp/bm-0-log.ipc", "--device-id", "0", str(PROGRAMS / "kinds.json")),
        *("--debugger", "--log-console"),
    ]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen([*inside, *command], stdout=log, stderr=log)
    try:
        assert wait_until(lambda: listening(port, inside) or process.poll() is not None, SECONDS)
        assert process.poll() is None, (tmp_path / "log").read_text()
        assert not listening(9559, inside), "simple_switch has no P4Runtime"
        done = subprocess.run(
            [*inside, "simple_switch_CLI", "--thrift-port", str(port)],
            input="table_add In.station In.send_to 02:00:00:00:00:02 => 2\nshow_ports\nswitch_info\n",
            capture_output=True,
            text=True,
            check=True,
        )
        assert "Entry has been added with handle 0" in done.stdout
        assert f"{2:^10}{'sw2':^20}{'UP':^10}" in done.stdout
        assert f"{'thrift_port':25}: {port}" in done.stdout
        packet = b"\2\0\0\0\0\2" + b"\2\0\0\0\0\1" + b"\x88\xb5" + bytes(46)
        second = namespace.host(2)
        namespace.host(1).send(packet)
        assert second.receive()[0] == packet
    finally:
        process.kill()
        process.wait()
    assert "Without effect here: --nanolog=ipc:///tmp/bm-0-log.ipc" in (tmp_path / "log").read_text()


@pytest.mark.parametrize("name", ["simple_switch", "simple_switch_grpc", "psa_switch"])
def test_a_switch_is_found_under_bmv2s_name(folder: Path, name: str, tmp_path: Path) -> None:
    """p4lang's scripts end it by `pkill simple_switch`, which looks for the first 15 bytes of its name."""
    command = [str(folder / name), "--no-p4", "--thrift-port", str(free_port())]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen([*command, "--", "--grpc-server-addr", f"unix:{tmp_path}/p4runtime"], stdout=log)
    try:
        about = Path(f"/proc/{process.pid}")

        def named() -> bool:
            # killall looks for longer names among the arguments. Both change while the process starts.
            arguments = (about / "cmdline").read_text().split("\0")
            return (about / "comm").read_text().strip() == name[:15] and name in map(os.path.basename, arguments)

        assert wait_until(lambda: named() or process.poll() is not None, SECONDS)
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("program", "address", "thrift"),
    [
        (cli.simple_switch, None, ("0.0.0.0", 9090)),
        (cli.simple_switch_grpc, "0.0.0.0:9559", ("0.0.0.0", 9090)),
        (cli.main, "0.0.0.0:9559", None),
    ],
)
def test_each_name_serves_where_bmv2s_program_does(
    program: object, address: str | None, thrift: tuple[str, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[daemon.Settings] = []
    monkeypatch.setattr(daemon, "run", lambda _, settings: asked.append(settings))
    monkeypatch.setattr("sys.argv", ["-c", "--no-p4"])
    assert callable(program)
    try:
        with pytest.raises(SystemExit) as ended:
            program()
    finally:
        gc.enable()
    assert not ended.value.code
    assert [(settings.address, settings.thrift) for settings in asked] == [(address, thrift)]


def test_another_program_of_that_name_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "simple_switch_CLI").write_text("#!/bin/sh\necho BMv2\n")
    done = CliRunner().invoke(build("tutorials"), ["tutorials", str(tmp_path)])
    assert done.exit_code == 2
    assert f"{tmp_path}/simple_switch_CLI is another program" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["simple_switch_CLI"]


def test_what_to_set_is_printed(tmp_path: Path) -> None:
    done = CliRunner().invoke(build("tutorials"), ["tutorials", str(tmp_path / "a b")])
    assert done.exit_code == 0
    script = done.stdout.split("\n# p4lang")[0] + "\nsimple_switch --version"
    version = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert version.stdout == f"{cli.VERSION}\n"


def test_launchers_trace_packets_on_request(namespace: Namespace, tmp_path: Path) -> None:
    done = CliRunner().invoke(build("tutorials"), ["tutorials", str(tmp_path / "bin"), "--log-level", "debug"])
    assert done.exit_code == 0
    assert CliRunner().invoke(build("tutorials"), ["tutorials", str(tmp_path / "bin"), "-L", "loud"]).exit_code == 2
    namespace.ip("link", "set", "lo", "up")
    inside, port = ("ip", "netns", "exec", namespace.name), free_port()
    command = [str(tmp_path / "bin" / "simple_switch"), "-i", "1@sw1", "-i", "2@sw2", "--thrift-port", str(port)]
    for level, logged in (((), True), (("-L", "info"), False)):
        log = tmp_path / f"log{logged}"
        with log.open("w") as output:
            process = subprocess.Popen(
                [*inside, *command, *level, "--log-console", str(PROGRAMS / "kinds.json")], stdout=output
            )
        try:
            assert wait_until(lambda: listening(port, inside), SECONDS)
            # The program sets its port.
            packet = bytes(12) + b"\x77\x77" + bytes(46)
            second = namespace.host(2)
            namespace.host(1).send(packet)
            assert second.receive() == [packet]
        finally:
            process.terminate()
            assert process.wait(SECONDS) == 0
        assert ("Processing packet received on port 1" in log.read_text()) is logged


def test_a_launcher_on_path_is_not_taken_for_bmv2(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    assert SwitchKind.AUTO.resolve() is SwitchKind.SOFTSWITCH
