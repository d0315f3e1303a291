"""`dropzero simulate program`: captures go through P4 switches, alone or in the tutorials' topologies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.l2 import Ether
from scapy.utils import rdpcap, wrpcap

from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.programs.fabric import Fabric
from dropzero.simulator.programs.topology import build
from tests.simulator.test_cli import simulate
from tests.support.p4runtime_client import PROGRAMS

KINDS = str(PROGRAMS / "kinds.json")
HOSTS = {"h1": "02:00:00:00:00:01", "h2": "02:00:00:00:00:02"}


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """Three packets to h2, a millisecond apart."""
    packets = [Ether(dst=HOSTS["h2"], src=HOSTS["h1"], type=0x1234) / bytes(86) for _ in range(3)]
    for number, packet in enumerate(packets):
        packet.time = 1000 + number / 1000
    wrpcap(str(tmp_path / "h1.pcap"), packets)
    return tmp_path / "h1.pcap"


@pytest.fixture
def topology(tmp_path: Path) -> Path:
    """h1 and h2 on two switches, with 4 Mbit/s and 2 ms between them."""
    for name, ports in (("s1", (1, 2)), ("s2", (2, 1))):
        entries = [
            {"table": "In.station", "match": {"hdr.ethernet.destination": mac}, "action_name": "In.send_to"}
            | {"action_params": {"port": port}}
            for mac, port in zip(HOSTS.values(), ports, strict=True)
        ]
        told = {"target": "bmv2", "bmv2_json": KINDS, "p4info": str(PROGRAMS / "kinds.p4info.txtpb")}
        (tmp_path / f"{name}-runtime.json").write_text(json.dumps(told | {"table_entries": entries}))
    content: dict[str, Any] = {
        "hosts": {name: {"ip": f"10.0.0.{name[1]}", "mac": mac} for name, mac in HOSTS.items()},
        "switches": {name: {"runtime_json": f"{name}-runtime.json"} for name in ("s1", "s2")},
        "links": [["h1", "s1-p1"], ["h2", "s2-p1"], ["s1-p2", "s2-p2", "2ms", 4]],
    }
    path = tmp_path / "topology.json"
    path.write_text(json.dumps(content))
    return path


def test_packets_cross_a_topology_of_the_tutorials_in_the_time_of_its_links(
    tmp_path: Path, topology: Path, capture: Path
) -> None:
    out, result = tmp_path / "out", tmp_path / "result.json"
    options = ["--rate", "8M", "--delay", "0", "--received", str(out), "--json", str(result)]
    done = simulate("program", "--topology", str(topology), "--send", f"h1={capture}", *options)
    assert done.exit_code == 0, done.output
    # 100 bytes take 100 us, 200 us and 100 us.
    times = [round(float(packet.time) * 1e6) for packet in rdpcap(str(out / "h2.pcap"))]
    assert times == [2400, 3400, 4400]
    told = json.loads(result.read_text())
    assert told["received"] == {"h2": 3}
    assert {(link["from"], link["to"], link["packets"], link["bytes"]) for link in told["links"]} == {
        ("h1", "s1-p1", 3, 300),
        ("s1-p2", "s2-p2", 3, 300),
        ("s2-p1", "h2", 3, 300),
    }
    assert "s1-p2" in done.output


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        (["h1"], "the end None of a link is neither a host nor a port of a switch"),
        ([1, "s1-p1"], "the end 1 of a link"),
        (["h1", "s1-p1", "soon"], "'soon' is not a number with one of the units"),
        (["h1", "s1-p1", 1, "x"], "could not convert string to float: 'x'"),
        (["h1", "s1-p1", 1, 1e400], "inf is not a rate in Mbit/s"),
        (["h1", "s1-p1", []], "'links' is \\[\\]"),
    ],
)
def test_a_wrong_link_is_refused_with_the_reason(link: list[Any], reason: str, topology: Path) -> None:
    content = json.loads(topology.read_text())
    topology.write_text(json.dumps(content | {"links": [link]}))
    with pytest.raises(ValueError, match=reason):
        build(Fabric(Quality(8_000_000)), topology, Quality(8_000_000))


def test_a_bug_is_not_taken_for_an_error_in_the_topology(topology: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr("dropzero.simulator.programs.topology.set_up", broken)
    with pytest.raises(KeyError, match="a bug"):
        build(Fabric(Quality(8_000_000)), topology, Quality(8_000_000))


def test_a_single_switch_is_filled_by_commands_and_its_hosts_are_its_ports(tmp_path: Path, capture: Path) -> None:
    commands = tmp_path / "commands"
    commands.write_text("table_add In.station In.send_to 0x020000000002 => 7\n")
    out = tmp_path / "out"
    options = ["--commands", str(commands), "--received", str(out), "--rate", "8M", "--delay", "10us"]
    done = simulate("program", KINDS, "--send", f"1={capture}", *options)
    assert done.exit_code == 0, done.output
    received = rdpcap(str(out / "7.pcap"))
    assert [bytes(packet) for packet in received] == [bytes(packet) for packet in rdpcap(str(capture))]
    assert [round(float(packet.time) * 1e6) for packet in received] == [220, 1220, 2220]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ([KINDS, "--workers", "4"], "No such option: --workers"),
        (["--send", "1=x"], "give a program, a --topology, or both"),
        ([KINDS, "--send", "1"], "--send takes HOST=FILE, not '1'"),
        ([KINDS, "--send", "h1={capture}"], "the port of a single switch is a number, not 'h1'"),
        (["nowhere.json"], "nowhere.json"),
        (["--topology", "{topology}", "--send", "h3={capture}"], "the topology has no host 'h3': it has h1, h2"),
        (["--topology", "{capture}"], "h1.pcap is not a topology as p4lang's tutorials have them: UnicodeDecodeError"),
        ([KINDS, "--commands", "{capture}"], "h1.pcap:1: Error: there is no verb"),
        ([KINDS, "--entries", "{capture}"], "h1.pcap is not a p4.v1.WriteRequest"),
        (["--topology", KINDS], "is not a topology as p4lang's tutorials have them: 'an object' has no 'switches'"),
        (["--topology", "{topology}", "--commands", "x"], "the topology names the entries, commands and P4Info"),
    ],
)
def test_wrong_options_are_refused_with_the_reason(
    options: list[str], reason: str, topology: Path, capture: Path
) -> None:
    filled = [option.format(topology=topology, capture=capture) for option in options]
    done = simulate("program", *filled)
    assert reason in str(done.exception) + done.output
