"""The emulated rack, with real namespaces, links and processes. Needs root."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path

import pytest
from scapy.layers.inet import ICMP, IP, UDP

from dropzero.linux.namespace import inside
from dropzero.protocol.wire import UDP_PORT
from dropzero.topologies.networks.faults import Faults
from dropzero.topologies.networks.host import Host
from dropzero.topologies.networks.kind import PortKind, SwitchKind
from dropzero.topologies.networks.link import MARKED_AFTER, SHORT_ROUND_TRIP, in_flight
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.processes.claim import Claim
from dropzero.topologies.processes.errors import Interruption, RunError, SetupError
from dropzero.topologies.processes.identity import Identity
from dropzero.topologies.processes.process import stop, wait
from dropzero.topologies.registry.state import FOLDER, INTERFACES, State, clean_crashed, states
from dropzero.worker.transport import Transport

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")


@pytest.fixture(scope="module")
def rack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    """A rack without a running switch and controller."""
    with Rack(2, tmp_path_factory.mktemp("rack"), kind=SwitchKind.SOFTSWITCH, rate=100) as network:
        yield network


def state_of(pid: int) -> State:
    return next(state for state in states() if state.owner.pid == pid)


def left_of(state: State) -> list[str]:
    """The leftovers of a run on the machine. Another run may have taken its prefix."""
    if any(other.prefix == state.prefix and other.owner != state.owner for other in states()):
        return [process.name for process in state.processes if process.alive]
    interfaces = [name for name in state.interfaces if (INTERFACES / name).exists()]
    processes = [process.name for process in state.processes if process.alive]
    # Files that were set aside under this name earlier are not the run's.
    files = [str(path) for path in FOLDER.glob(f"{state.prefix}.*") if path.suffix != ".corrupt"]
    return interfaces + processes + files


def test_controllers_read_topology_json(rack: Rack) -> None:
    topology = json.loads(rack.topology.read_text())
    assert topology["hosts"]["h2"] == {"ip": "10.0.0.2/24", "mac": "08:00:00:00:00:02"}
    assert topology["links"] == [["h1", "s1-p1"], ["h2", "s1-p2"]]


def test_hosts_use_only_ipv4_and_the_offloads_that_the_switch_supports(rack: Rack) -> None:
    host = rack.hosts[0]
    assert "inet6" not in host.cmd("ip address show dev eth0")
    left = host.cmd("ethtool --show-offload eth0")
    state = "on" if rack.kind.supports_udp_gso else "off"
    assert f"tx-checksumming: {state}" in left
    assert f"tx-udp-segmentation: {state}" in left
    assert "tcp-segmentation-offload: off" in left


def test_a_host_whose_arp_request_is_lost_soon_asks_again(rack: Rack) -> None:
    """Linux would wait for a second. The switch is not running, so no request is answered."""
    host, sent = rack.hosts[1], "cat /sys/class/net/eth0/statistics/tx_packets"
    before = int(host.cmd(sent))
    host.cmd("ping -c 1 -W 1 10.0.0.254")
    assert int(host.cmd(sent)) - before >= 5
    # It would go on asking.
    host.cmd("ip neighbour delete 10.0.0.254 dev eth0")


def test_a_forged_message_that_packets_are_too_large_changes_nothing(rack: Rack) -> None:
    host, switch = rack.hosts[0], "10.0.0.254"
    own = str(host.IP())
    with inside(host.pid), closing(Transport(own)) as transport:
        transport.connect((switch, UDP_PORT))
        sent = IP(src=own, dst=switch, flags="DF") / UDP(sport=transport.port, dport=UDP_PORT) / bytes(1400)
        forged = bytes(ICMP(type=3, code=4, nexthopmtu=552) / bytes(sent)[:28])
        with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
            raw.sendto(forged, (own, 0))
        assert "mtu" not in host.cmd(f"ip route get {switch}")
        with socket.socket(fileno=os.dup(transport.fileno())) as same:
            assert same.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0


def test_hosts_have_their_names(rack: Rack) -> None:
    own = Path("/etc/hosts").read_text(), socket.gethostname()
    code = (
        "import socket as s; print(s.gethostname(), s.getfqdn(), s.gethostbyname('h1'), "
        "*(s.getnameinfo((address, 1), s.NI_NAMEREQD)[0] for address in ('10.0.0.1', '::ffff:10.0.0.1')))"
    )
    with ExitStack() as resources:
        process = rack.hosts[1].launch("names", [sys.executable, "-c", code], rack.logs / "names.log")
        resources.callback(stop, [process])
        assert wait([process], 60)
        assert process.log.read_text() == "h2 h2 10.0.0.1 h1 h1\n"
    assert (Path("/etc/hosts").read_text(), socket.gethostname()) == own


def test_links_have_the_rate_asked_for_in_both_directions(rack: Rack) -> None:
    """The host's qdisc limits packets to the switch; the switch's queue, of 256 packets plus 20 ms, those from it."""
    assert "rate 100Mbit ceil 100Mbit" in rack.hosts[0].cmd("tc class show dev eth0")
    assert rack.switch.cmd(f"tc class show dev {rack.switch.intfs[1].name}") == ""
    impaired = [word for name, word in pairwise(rack.switch.arguments) if name == "--impair"]
    assert impaired == [f"{port}/out:rate=100000000,limit=471" for port in (1, 2)]


def test_bmv2_leaves_rates_to_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The network is not started, so any program will do.
    monkeypatch.setattr("dropzero.topologies.networks.kind.BMV2", "true")
    with Rack(1, tmp_path, kind=SwitchKind.BMV2, rate=100) as network:
        assert "rate 100Mbit ceil 100Mbit" in network.switch.cmd(f"tc class show dev {network.switch.intfs[1].name}")
        assert "--impair" not in network.switch.arguments


def test_bmv2_has_no_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dropzero.topologies.networks.kind.BMV2", "true")
    with pytest.raises(SetupError, match="BMv2 cannot delay, duplicate or reorder packets; --switch=softswitch can"):
        Rack(1, tmp_path, kind=SwitchKind.BMV2, faults=Faults(duplicate=0.1))
    assert Rack(1, tmp_path, kind=SwitchKind.AUTO, faults=Faults(duplicate=0.1)).kind is SwitchKind.SOFTSWITCH


def test_only_the_embedded_switch_has_ports_in_shared_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dropzero.topologies.networks.kind.BMV2", "true")
    with pytest.raises(SetupError, match="BMv2 has no ports in shared memory; --switch=softswitch has"):
        Rack(1, tmp_path, kind=SwitchKind.BMV2, ports=PortKind.SHM)
    assert Rack(1, tmp_path, kind=SwitchKind.AUTO, ports=PortKind.SHM).kind is SwitchKind.SOFTSWITCH


def test_ports_in_shared_memory_have_no_rate(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="ports in shared memory have no rate: leave out --ports=shm, or the rates"):
        Rack(1, tmp_path, rate=100, ports=PortKind.SHM).__enter__()


def test_programs_on_hosts_find_the_rings_of_their_port(tmp_path: Path) -> None:
    """However they are started: by the run, by `exec`, or at Mininet's prompt."""
    with Rack(2, tmp_path, kind=SwitchKind.SOFTSWITCH, ports=PortKind.SHM) as network:
        network.start_switches()
        folder = FOLDER / f"{network.name}-s1.rings"
        assert (folder / "socket").is_socket()
        process = network.adopt(network.hosts[1].launch("a program", ["env"], tmp_path / "env.log"))
        assert wait([process], 60.0)
        assert f"DROPZERO_RINGS={folder}:2" in process.log.read_text().splitlines()
        command = [sys.executable, "-m", "dropzero", "exec", "--run", network.name, "h1", "env"]
        guest = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
        assert f"DROPZERO_RINGS={folder}:1" in guest.stdout.splitlines()
    assert not folder.exists()


def test_programs_on_hosts_without_rings_use_none_of_another_network(
    rack: Rack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DROPZERO_RINGS", "/run/dropzero/other-s1.rings:1")
    process = rack.adopt(rack.hosts[1].launch("a program", ["env"], tmp_path / "env.log"))
    assert wait([process], 60.0)
    command = [sys.executable, "-m", "dropzero", "exec", "--run", rack.name, "h1", "env"]
    guest = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    for output in (process.log.read_text(), guest.stdout):
        assert "DROPZERO_RINGS=" in output.splitlines()


def test_counters_count_every_byte_on_the_wire(rack: Rack) -> None:
    before = rack.uplink_bytes()
    send = "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(bytes(100), ('10.0.0.9', 9))"
    host = rack.hosts[0]
    # An address that needs no ARP, so that nothing else is sent.
    host.cmd("ip neighbour replace 10.0.0.9 lladdr 02:00:00:00:00:09 dev eth0")
    host.cmd(f'{sys.executable} -c "{send}"')
    assert rack.uplink_bytes() - before == 14 + 20 + 8 + 100


def test_hosts_reach_each_other_and_the_switch_over_links_that_delay_and_double(tmp_path: Path) -> None:
    with Rack(2, tmp_path, kind=SwitchKind.SOFTSWITCH, rate=100, faults=Faults(delay=5, duplicate=1)) as network:
        network.start_switches()
        controller = network.start_controller()
        # Packets are marked in a queue longer than its link carries in a short round trip.
        told = Path(f"/proc/{controller.pid}/cmdline").read_bytes().split(b"\0")
        taken = in_flight(100, SHORT_ROUND_TRIP)
        assert taken > 0
        assert int(told[told.index(b"--mark-from") + 1]) == MARKED_AFTER + taken
        for host, address in zip(network.hosts, ("h2", "10.0.0.254"), strict=True):
            answers = host.cmd(f"ping -c 1 -W 10 {address}")
            assert "1 received" in answers
            # To the switch and back; to the other host takes twice as long.
            assert float(answers.partition("time=")[2].split()[0]) > 10
    log = (network.logs / "s1.log").read_text()
    for line in (
        r"Port 1 queues: \d+ offered",
        r"Port 2 out: (\d+) offered, .* \1 duplicated",
        "Port 2 in:",
    ):
        assert re.search(line, log)


def test_nothing_is_left_of_a_rack(tmp_path: Path) -> None:
    with Rack(3, tmp_path, kind=SwitchKind.SOFTSWITCH) as network:
        state = next(state for state in states() if network.switch.intfs[1].name in state.interfaces)
        network.start_switches()
    assert left_of(state) == []


def test_nothing_is_left_of_a_rack_that_a_signal_ends_while_a_shell_runs_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(host: Host, hosts: Path) -> None:
        host.sendCmd(f"cat {hosts}")
        raise Interruption(signal.SIGTERM)

    monkeypatch.setattr(Host, "know", interrupted)
    network = Rack(2, tmp_path, kind=SwitchKind.SOFTSWITCH)
    with pytest.raises(Interruption), network:
        pass
    assert not list(INTERFACES.glob(f"{network.name}s*"))
    assert all(host.shell is None for host in network.hosts)


def test_nothing_is_left_of_a_rack_whose_switch_does_not_start(tmp_path: Path) -> None:
    network = Rack(1, tmp_path, kind=SwitchKind.SOFTSWITCH)
    with network:
        state = next(state for state in states() if network.switch.intfs[1].name in state.interfaces)
        network.switch.cmd(f"ip link delete {network.switch.intfs[1].name}")
        with pytest.raises(RunError, match=r"switch s1 \(pid \d+\) ended with exit status 2(.|\n)*no such interface"):
            network.start_switches()
    assert left_of(state) == []


def test_two_racks_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    with Rack(1, tmp_path / "a") as one, Rack(1, tmp_path / "b") as other:
        assert one.switch.intfs[1].name != other.switch.intfs[1].name
        assert one.switch.grpc_port != other.switch.grpc_port


def test_remains_of_a_killed_run_are_removed_later(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "dropzero", "rack", "--workers", "2", "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert "switch" in process.stdout.readline()
        state = state_of(process.pid)
        process.kill()
    clean_crashed()
    assert left_of(state) == []


def test_stop_ends_a_running_rack(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "dropzero", "rack", "--workers", "1", "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        state = state_of(process.pid)
        state.stop()
        state.stop()
    assert process.returncode == 128 + signal.SIGTERM
    assert left_of(state) == []


def test_cleanup_spares_a_process_that_reuses_a_recorded_pid() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        now = Identity.of("sleep", process.pid)
        assert now.started is not None
        State("dz-test", now, [Identity("another", process.pid, now.started - 1)]).clean()
        assert now.alive
        process.kill()


@pytest.fixture
def crashed() -> Iterator[tuple[State, Claim]]:
    """A run that died, with an interface. Its prefix is claimed, or other tests' runs would clean it up."""
    claim = Claim(f"c{os.getpid() % 100_000}")
    with subprocess.Popen(["sleep", "60"]) as process:
        state = State(claim.name, Identity.of("owner", process.pid))
        process.kill()
    add_interface(state)
    yield state, claim
    state.clean()
    claim.release()


def add_interface(state: State) -> None:
    name = f"{state.prefix}s1-eth1"
    state.add_interfaces(name)
    subprocess.run(["ip", "link", "add", name, "type", "veth"], check=True)


def test_a_second_cleanup_spares_the_run_that_reuses_the_prefix(crashed: tuple[State, Claim]) -> None:
    state, claim = crashed
    claim.release()
    state.clean_after_owner()
    assert left_of(state) == []
    run = State(state.prefix, Identity.of("owner", os.getpid()))
    add_interface(run)
    state.stop()
    assert left_of(run) == [*run.interfaces, str(run.path)]


def test_a_command_waits_while_another_cleans_up(crashed: tuple[State, Claim], monkeypatch: pytest.MonkeyPatch) -> None:
    state, others = crashed
    waited = []

    def sleep(_seconds: float) -> None:
        waited.append(left_of(state))
        others.release()

    monkeypatch.setattr("dropzero.topologies.registry.state.time.sleep", sleep)
    state.clean_after_owner()
    assert waited[0] == [*state.interfaces, str(state.path)]
    assert left_of(state) == []


def test_missing_bmv2_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dropzero.topologies.networks.kind.BMV2", "no-such-switch")
    with pytest.raises(SetupError, match="no-such-switch is not on PATH"):
        Rack(1, tmp_path, kind=SwitchKind.BMV2)
