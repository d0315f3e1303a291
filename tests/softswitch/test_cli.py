"""The switch as a process: simple_switch_grpc's command line, real interfaces, captures and signals."""

from __future__ import annotations

import gc
import json
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
import p4runtime_sh.shell as shell
import pytest
from google.rpc import code_pb2
from scapy.layers.l2 import Ether
from scapy.utils import rdpcap
from typer.testing import CliRunner

from dropzero.cli import build
from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch import daemon
from dropzero.softswitch.cli import app
from tests.support.namespace import Namespace
from tests.support.p4runtime_client import PROGRAMS, Client, entity, kinds, open_stream, station

SOFTSWITCH = (sys.executable, "-m", "dropzero.softswitch")
PORTS = ("-i", "1@sw1", "-i", "2@sw2")
SECONDS = 600
# On x86-64, and elsewhere as the only one.
EPOLL_WAIT = 232
EPOLL_PWAIT = 22
POLL = 7
PPOLL = 73
FOR_EVER = 0xFFFFFFFF


@dataclass
class Running:
    process: subprocess.Popen[str]
    client: Client
    output: Path

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Sends a signal. Returns the exit status."""
        self.process.send_signal(number)
        return self.process.wait(SECONDS)


@contextmanager
def switch(directory: Path, *arguments: str, namespace: Namespace | None = None) -> Iterator[Running]:
    """Runs a switch with P4Runtime on a Unix socket, which all namespaces can reach."""
    address = f"unix:{directory}/p4runtime"
    inside = ("ip", "netns", "exec", namespace.name) if namespace else ()
    output = directory / "output"
    with output.open("w") as stream:
        process = subprocess.Popen(
            [*inside, *SOFTSWITCH, *arguments, "--", "--grpc-server-addr", address],
            cwd=directory,
            stdout=stream,
            stderr=subprocess.STDOUT,
            text=True,
        )
    client = Client(address)
    try:
        yield Running(process, client, output)
    finally:
        client.close()
        process.kill()
        process.wait()


def refused(*arguments: str) -> str:
    """Runs an invalid command line. Returns the only line on stderr."""
    ended = subprocess.run([*SOFTSWITCH, *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ((), "softswitch: give a JSON program, or --no-p4 to start without one"),
        (("--no-p4", "--colour"), "softswitch: No such option: --colour"),
        (("--no-p4", "-i", "veth0"), "softswitch: --interface takes PORT@INTERFACE, not 'veth0'"),
        (("--no-p4", "-i", "1@lo", "-i", "1@lo"), "softswitch: two interfaces have the same port number"),
        (("--no-p4", "-i", "1@nothing"), "softswitch: port 1: nothing: no such interface"),
        (
            ("--no-p4", "-L", "loud"),
            "softswitch: --log-level is one of trace, debug, info, warn, error, off, not 'loud'",
        ),
        (
            ("--no-p4", "--log-console", "--log-file", "log"),
            "softswitch: --log-console and --log-file exclude each other",
        ),
        (
            ("--no-p4", "--device-id", str(1 << 64)),
            "softswitch: Invalid value for '--device-id': 18446744073709551616 is not in the range "
            "0<=x<=18446744073709551615.",
        ),
        (
            ("--no-p4", "--restore-state", "saved"),
            "softswitch: --restore-state of simple_switch_grpc is not supported",
        ),
        (
            ("--no-p4", "-i", "1@lo", "-i", "2@lo", "--max-port-count", "1"),
            "softswitch: 2 interfaces are more than --max-port-count 1",
        ),
        (
            ("--no-p4", "--impair", "1:loss=often"),
            "softswitch: --impair 1:loss=often: loss: 'often' is not a probability such as 0.01 or 1%",
        ),
        (("/nowhere.json",), "softswitch: /nowhere.json: No such file or directory"),
        (("--no-p4", "--", "--grpc-server-addr", "9559"), "softswitch: '9559' is no HOST:PORT and no unix:PATH"),
        (
            ("--no-p4", "--", "--grpc-server-addr", "unix:/nowhere/socket"),
            "softswitch: cannot listen on unix:/nowhere/socket",
        ),
    ],
)
def test_a_wrong_command_line_is_one_clear_line_and_status_2(arguments: tuple[str, ...], line: str) -> None:
    assert refused(*arguments) == line


def test_no_p4_overrides_a_program(tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4", str(PROGRAMS / "kinds.json"), "--log-console") as running:
        assert f"With --no-p4, the program {PROGRAMS}/kinds.json is not loaded" in running.output.read_text()


def test_a_file_that_is_not_a_program_is_refused(tmp_path: Path) -> None:
    for content in ("{", "[" * 100_000):
        (tmp_path / "broken.json").write_text(content)
        assert refused(str(tmp_path / "broken.json")).startswith("softswitch: ")


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ('"bitwidth" : ', '"bitwidth" : "x", "was" : '),
        ('"init_state" : "start"', '"init_state" : "nowhere"'),
    ],
)
def test_a_program_that_p4c_would_not_write_is_refused_in_one_line(tmp_path: Path, part: str, other: str) -> None:
    program = (PROGRAMS / "kinds.json").read_text()
    assert part in program
    (tmp_path / "odd.json").write_text(program.replace(part, other))
    assert refused(str(tmp_path / "odd.json")).startswith("softswitch: ")


def test_an_operation_that_the_switch_does_not_know_is_refused_by_name(tmp_path: Path) -> None:
    program = (PROGRAMS / "kinds.json").read_text()
    (tmp_path / "unknown.json").write_text(program.replace('"mark_to_drop"', '"beam_up"'))
    assert "beam_up" in refused(str(tmp_path / "unknown.json"))


def test_its_help_has_bmv2s_names() -> None:
    long, short = (CliRunner().invoke(app, [name]) for name in ("--help", "-h"))
    assert (short.exit_code, short.output) == (0, long.output)


def test_a_port_in_use_is_reported_with_its_owner() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refused("--no-p4", "--", "--grpc-server-addr", f"127.0.0.1:{port}")
    assert line.startswith(f"softswitch: port {port} is in use by ")
    assert "(pid " in line


def test_a_socket_in_use_is_reported(tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4"):
        line = refused("--no-p4", "--", "--grpc-server-addr", f"unix:{tmp_path}/p4runtime")
    assert line == f"softswitch: unix:{tmp_path}/p4runtime is in use"


def test_options_of_simple_switch_grpc_may_come_before_or_after_the_dashes(tmp_path: Path) -> None:
    with switch(
        tmp_path, "--no-p4", "--device-id", "3", "--nanolog", "ipc:///tmp/log.ipc",
        "--log-flush", "--log-console", "-L", "debug", "--cpu-port", "255", "--drop-port=511", "--priority-queues", "8",
        "--enable-swap",
    ) as running:  # fmt: skip
        running.client.push(kinds(), device_id=3)
        assert running.stop() == 0
        assert "Without effect here: --nanolog=ipc:///tmp/log.ipc" in running.output.read_text()


def test_the_status_of_the_primary_can_be_left_out(tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4", "--no-primary-status") as running:
        first = open_stream(running.client, 1)
        assert not first.next().arbitration.HasField("status")
        second = open_stream(running.client, 2)
        assert not second.next().arbitration.HasField("status")
        assert first.standing() == (2, code_pb2.ALREADY_EXISTS, "Is backup")


def test_it_says_when_it_listens(tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4") as running:
        assert running.output.read_text() == f"Server listening on unix:{tmp_path}/p4runtime\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["term", "int"])
def test_a_signal_ends_it_in_order(tmp_path: Path, number: int) -> None:
    with switch(tmp_path, "--no-p4", "--log-file", "log") as running:
        assert running.stop(number) == 0
        assert (tmp_path / "log.txt").exists()


def frame(mac: int, length: int = 60) -> bytes:
    return bytes(Ether(dst=mac.to_bytes(6, "big").hex(":"), src="02:00:00:00:00:99", type=0x88B5) / bytes(length - 14))


def test_packets_go_through_and_are_captured(namespace: Namespace, tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4", *PORTS, "--pcap", "pcaps", namespace=namespace) as running:
        running.client.push(kinds())
        running.client.insert(station(2, 2))
        first, second = namespace.host(1), namespace.host(2)
        packets = [frame(2, length) for length in range(60, 1514, 40)]
        for packet in packets:
            first.send(packet)
        first.send(frame(3))
        assert second.receive(len(packets)) == packets

        assert _counts_up_to(len(packets) + 1, running.client)
        (hits,) = running.client.read("direct_counter_entry { table_entry { table_id: $In.station } }")
        assert hits.direct_counter_entry.data.byte_count == sum(map(len, packets))

        # While it runs.
        assert [bytes(packet) for packet in rdpcap(str(tmp_path / "pcaps" / "sw2_out.pcap"))] == packets
        assert running.stop() == 0
        assert [bytes(packet) for packet in rdpcap(str(tmp_path / "pcaps" / "sw1_in.pcap"))] == [*packets, frame(3)]
        assert len(rdpcap(str(tmp_path / "pcaps" / "sw2_in.pcap"))) == 0
        for host in (first, second):
            host.close()


def _counts_up_to(packets: int, client: Client) -> bool:
    """Waits until port 1 has counted that many packets; returns whether it has."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        (found,) = client.read("counter_entry { counter_id: $In.received index { index: 1 } }")
        if found.counter_entry.data.packet_count == packets:
            return True
    return False


def test_a_program_from_the_command_line_runs_but_cannot_be_addressed(namespace: Namespace, tmp_path: Path) -> None:
    with switch(tmp_path, *PORTS, "--pcap", str(PROGRAMS / "kinds.json"), namespace=namespace) as running:
        first, second = namespace.host(1), namespace.host(2)
        # The program sets their port.
        packet = frame(9)[:12] + b"\x77\x77" + bytes(46)
        first.send(packet)
        assert second.receive() == [packet]
        assert (tmp_path / "sw2_out.pcap").exists()
        with pytest.raises(grpc.RpcError, match="No forwarding pipeline config set for this device"):
            running.client.read("table_entry {}")

        running.client.push(kinds())
        running.client.insert(station(9, 1))
        first.send(frame(9))
        assert first.receive() == [frame(9)]
        first.close()
        second.close()


def test_a_group_copies_to_its_ports(namespace: Namespace, tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4", *PORTS, namespace=namespace) as running:
        running.client.push(kinds())
        running.client.insert(
            "packet_replication_engine_entry { multicast_group_entry { multicast_group_id: 4 "
            "replicas { egress_port: 1 instance: 1 } replicas { egress_port: 2 instance: 2 } } }"
        )
        running.client.insert(
            'table_entry { table_id: $In.station match { field_id: 1 exact { value: "\\x05" } } '
            'action { action { action_id: $In.flood params { param_id: 1 value: "\\x04" } } } }'
        )
        hosts = [namespace.host(1), namespace.host(2)]
        hosts[0].send(frame(5))
        assert [host.receive() for host in hosts] == [[frame(5)], [frame(5)]]
        for host in hosts:
            host.close()


def test_registers_can_be_read_over_p4runtime(namespace: Namespace, tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4", *PORTS, namespace=namespace) as running:
        running.client.push(kinds())
        running.client.insert(station(1, 1))
        host = namespace.host(1)
        host.send(frame(1))
        host.receive()
        read = running.client.read("register_entry { register_id: $In.last_type index { index: 1 } }")
        assert read == [
            entity('register_entry { register_id: $In.last_type index { index: 1 } data { bitstring: "\\x88\\xb5" } }')
        ]
        (wide,) = running.client.read("register_entry { register_id: $In.wide index {} }")
        assert int.from_bytes(wide.register_entry.data.bitstring, "big") == 0x020000000099 << 200
        host.close()


def test_the_controller_sends_and_receives_packets(namespace: Namespace, tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4", *PORTS, "--", "--cpu-port", "255", namespace=namespace) as running:
        running.client.push(kinds())
        running.client.insert(
            'table_entry { table_id: $In.station match { field_id: 1 exact { value: "\\x07" } } '
            'action { action { action_id: $In.to_controller params { param_id: 1 value: "\\x15" } } } }'
        )
        stream = running.client.stream()
        stream.bid(1)
        stream.standing()
        host = namespace.host(2)

        host.send(frame(7))
        packet = stream.next().packet
        assert packet.payload == frame(7)
        assert [metadata.value for metadata in packet.metadata] == [b"\x02", b"\x15"]

        request = p4runtime_pb2.StreamMessageRequest()
        request.packet.payload = frame(8)
        request.packet.metadata.add(metadata_id=1, value=b"\x02")
        stream.send(request)
        assert host.receive() == [frame(8)]
        host.close()


def test_it_continues_without_an_interface_that_disappears(namespace: Namespace, tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4", *PORTS, namespace=namespace) as running:
        running.client.push(kinds())
        running.client.insert(station(1, 2))
        namespace.ip("link", "del", "sw1")
        host = namespace.host(2)
        host.send(frame(1))
        assert host.receive() == [frame(1)]
        assert "Port 1 (sw1): the interface is gone" in running.output.read_text()
        assert running.stop() == 0
        host.close()


def test_impaired_ports_impair_packets_and_print_counts(namespace: Namespace, tmp_path: Path) -> None:
    impaired = ("--impair", "2:rate=1mbit,delay=1ms,duplicate=1", "--impair", "1/in:rate=1gbit")
    with switch(tmp_path, "--no-p4", *PORTS, *impaired, namespace=namespace) as running:
        running.client.push(kinds())
        running.client.insert(station(1, 2))
        first, second = namespace.host(1), namespace.host(2)
        first.send(frame(1))
        assert second.receive(2) == [frame(1), frame(1)]
        assert running.stop() == 0
        output = running.output.read_text()
        assert "Port 2 queues: 1 offered, 0 dropped, at most 1 in a queue" in output
        assert "Port 2 out: 1 offered, 0 dropped, 0 lost, 1 duplicated, 0 reordered, 0 corrupted" in output
        assert "Port 1 in: 1 offered" in output
        first.close()
        second.close()


def test_a_file_gives_ports_their_queues(namespace: Namespace, tmp_path: Path) -> None:
    """Here a rate that keeps all packets but the first, and room for two of them."""
    queues = {"ports": {"*": {"rate": "1gbit"}, "2": {"packets_per_second": 1, "depth": 2}}}
    (tmp_path / "queues.json").write_text(json.dumps(queues))
    with switch(tmp_path, "--no-p4", *PORTS, "--queues", str(tmp_path / "queues.json"), namespace=namespace) as running:
        running.client.push(kinds())
        running.client.insert(station(1, 2))
        first, second = namespace.host(1), namespace.host(2)
        for _ in range(6):
            first.send(frame(1))
        assert second.receive() == [frame(1)]
        assert running.stop() == 0
        counts = re.search(r"Port 2 queues: 6 offered, (\d) dropped, at most 2 in a queue", running.output.read_text())
        assert counts is not None
        assert int(counts[1]) > 0
        first.close()
        second.close()


def test_the_log_follows_each_packet_at_level_trace(namespace: Namespace, tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4", *PORTS, "--log-console", "-L", "trace", namespace=namespace) as running:
        running.client.push(kinds())
        running.client.insert(station(1, 2))
        first, second = namespace.host(1), namespace.host(2)
        first.send(frame(1))
        assert second.receive() == [frame(1)]
        assert running.stop() == 0
        output = running.output.read_text()
        head = r"\n\[\d\d:\d\d:\d\d\.\d{3}\] \[bmv2\] \[D\] \[thread \d+\] \[0\.0\] \[cxt 0\] "
        assert re.search(head + "Processing packet received on port 1\n", output)
        assert re.search(head + "Table 'In.station': hit with handle 0\n", output)
        first.close()
        second.close()


def test_a_log_file_alone_does_not_trace_packets(namespace: Namespace, tmp_path: Path) -> None:
    """p4lang's tutorials start it like this. Tracing packets would cost most of the speed."""
    with switch(tmp_path, "--no-p4", *PORTS, "--log-console", namespace=namespace) as running:
        running.client.push(kinds())
        running.client.insert(station(1, 2))
        first, second = namespace.host(1), namespace.host(2)
        first.send(frame(1))
        assert second.receive() == [frame(1)]
        assert running.stop() == 0
        assert "Processing packet" not in running.output.read_text()
        first.close()
        second.close()


def test_ports_follow_their_interfaces(namespace: Namespace, tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4", *PORTS, "--log-console", namespace=namespace) as running:
        for state in ("down", "up"):
            namespace.ip("link", "set", "h2", state)
            deadline = time.monotonic() + SECONDS
            while f"Port 2 (sw2) is {state}" not in running.output.read_text():
                assert time.monotonic() < deadline
                time.sleep(0.05)
        assert "Port 1" not in running.output.read_text()


@pytest.mark.parametrize("packets", [0, 3])
def test_it_sleeps_while_there_is_nothing_to_do(namespace: Namespace, tmp_path: Path, packets: int) -> None:
    with switch(tmp_path, "--no-p4", *PORTS, "--rings", str(tmp_path / "rings"), namespace=namespace) as running:
        running.client.push(kinds())
        running.client.insert(station(1, 2))
        first, second = namespace.host(1), namespace.host(2)
        for _ in range(packets):
            first.send(frame(1))
        assert second.receive(packets) == [frame(1)] * packets
        pid = running.process.pid
        deadline = time.monotonic() + SECONDS
        call: list[str] = []
        while not _waits_for_ever(call) and time.monotonic() < deadline:
            call = Path(f"/proc/{pid}/task/{pid}/syscall").read_text().split()
        assert _waits_for_ever(call)
        first.close()
        second.close()


def _waits_for_ever(call: list[str]) -> bool:
    """Whether a system call (as numbers) is poll or epoll_wait without a timeout."""
    if len(call) < 5:
        return False
    number, *arguments = int(call[0]), *(int(each, 16) for each in call[1:5])
    # Also the rings' doorbell and socket, the wakeup pipe, the timer, and the events of interfaces.
    polled = len(PORTS) // 2 + 5
    # The upper half of a register with an int is undefined.
    _, descriptors, timeout, longest = (each & FOR_EVER for each in arguments)
    return (number, descriptors, timeout) in ((POLL, polled, FOR_EVER), (PPOLL, polled, 0)) or (
        number in (EPOLL_WAIT, EPOLL_PWAIT) and longest == FOR_EVER
    )


def test_p4runtime_shell_works_with_it(tmp_path: Path) -> None:
    with switch(tmp_path, "--no-p4"):
        config = shell.FwdPipeConfig(str(PROGRAMS / "kinds.p4info.txtpb"), str(PROGRAMS / "kinds.json"))
        shell.setup(grpc_addr=f"unix:{tmp_path}/p4runtime", device_id=0, election_id=(0, 1), config=config)
        try:
            entry = shell.TableEntry("station")(action="send_to")
            entry.match["hdr.ethernet.destination"] = "02:00:00:00:00:01"
            entry.action["port"] = "3"
            entry.insert()
            (found,) = list(shell.TableEntry("station").read())
            assert found.action["port"].value == b"\x03"
            group = shell.MulticastGroupEntry(5)
            group.add(1, 1).add(2, 2).insert()
            (read,) = list(shell.MulticastGroupEntry(5).read())
            assert len(read.replicas) == 2
            assert [cell.packet_count for cell in shell.CounterEntry("received").read()] == [0] * 16
        finally:
            shell.teardown()


def test_its_executable_has_the_name_that_launchers_look_for_but_is_not_taken_for_bmv2() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    (name,) = [name for name, target in project["scripts"].items() if target == "dropzero.softswitch.cli:main"]
    assert "simple_switch_grpc" in name
    assert name != "simple_switch_grpc"


@pytest.mark.parametrize(("command", "address"), [("dropzero", "127.0.0.1:9559"), ("softswitch", "0.0.0.0:9559")])
def test_without_an_address_p4runtime_listens_locally_but_under_bmv2s_name_where_bmv2_does(
    command: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[daemon.Settings] = []
    monkeypatch.setattr(daemon, "run", lambda _, settings: asked.append(settings))
    try:
        arguments = ["switch", "--no-p4"] if command == "dropzero" else ["--no-p4"]
        CliRunner().invoke(build("switch") if command == "dropzero" else app, arguments)
    finally:
        gc.enable()
    assert [settings.address for settings in asked] == [address]


def test_a_switch_that_other_machines_can_reach_says_so() -> None:
    with socket.create_server(("0.0.0.0", 0)) as free:
        port = free.getsockname()[1]
    command = [*SOFTSWITCH, "--no-p4", "--", "--grpc-server-addr", f"0.0.0.0:{port}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"Server listening on 0.0.0.0:{port}\n"
        assert process.stdout.readline().startswith("Other machines can reach it")
        process.terminate()


@pytest.mark.parametrize("allowed", [10, 18, 22])
def test_a_switch_that_may_open_too_few_files_says_how_many_it_needs(allowed: int) -> None:
    command = ["bash", "-c", f'ulimit -n {allowed} && exec "$@"', "bash", *SOFTSWITCH, "--no-p4", "-i", "1@nothing"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    message = f"68 open files are needed, and {allowed} are allowed: allow more with `ulimit -n 68`"
    assert (done.returncode, done.stderr) == (2, f"softswitch: {message}\n")


def test_rings_need_more_open_files(tmp_path: Path) -> None:
    words = [*SOFTSWITCH, "--no-p4", "-i", "1@nothing", "-i", "2@nothing", "--rings", str(tmp_path / "rings")]
    command = ["bash", "-c", 'ulimit -n 20 && exec "$@"', "bash", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    message = "80 open files are needed, and 20 are allowed: allow more with `ulimit -n 80`"
    assert (done.returncode, done.stderr) == (2, f"softswitch: {message}\n")


def test_a_switch_raises_its_own_limit_of_open_files_where_it_may() -> None:
    command = ["bash", "-c", 'ulimit -S -n 20 && exec "$@"', "bash", *SOFTSWITCH, "--no-p4", "-i", "1@nothing"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stderr) == (2, "softswitch: port 1: nothing: no such interface\n")
