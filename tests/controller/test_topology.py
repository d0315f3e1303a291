from __future__ import annotations

import json
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from controller.topology import Host, Topology, TopologyError, format_mac, parse_mac

RACK: dict[str, Any] = {
    "hosts": {
        "h1": {"ip": "10.0.0.1/24", "mac": "08:00:00:00:01:11"},
        "h2": {"ip": "10.0.0.2/24", "mac": "08:00:00:00:02:22", "commands": ["true"]},
    },
    "switches": {"s1": {"runtime_json": "s1-runtime.json"}},
    "links": [["h1", "s1-p1"], ["s1-p7", "h2", "0", 10]],
}


def written(tmp_path: Path, topology: Any) -> Path:
    path = tmp_path / "topology.json"
    path.write_text(topology if isinstance(topology, str) else json.dumps(topology))
    return path


def test_hosts_get_the_ports_of_their_links_from_whichever_end_these_are_written(tmp_path: Path) -> None:
    topology = Topology.read(written(tmp_path, RACK))
    assert topology.switch == "s1"
    assert topology.hosts["h1"] == Host("h1", IPv4Address("10.0.0.1"), 0x080000000111, 1)
    assert topology.hosts["h2"].port == 7
    assert topology.at(IPv4Address("10.0.0.2")) == topology.hosts["h2"]
    assert topology.at(IPv4Address("10.0.0.3")) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"links": [["h1", "s1-p1"]]}, "no link joins host h2 to switch s1"),
        ({"links": [["h1", "s1-p1"], ["h2", "s1"]]}, r'\["h2", "s1"\] is no link like \["h1", "s1-p1"\]'),
        ({"links": [["h1", "s1-p1"], ["h2", "s1-p1"]]}, "two hosts have the same port"),
        ({"links": [["h1", "s1-p1"], 7]}, "7 is no link"),
        ({"switches": {"s1": {}, "s2": {}}}, "2 switches; a controller looks after one"),
        ({"hosts": {"h1": {"ip": "10.0.0.1/24"}}}, "host h1 needs an ip and a mac"),
        ({"hosts": {"h1": {"ip": "10.0.0.256", "mac": "08:00:00:00:01:11"}}}, "host h1: .*256"),
        ({"hosts": {"h1": {"ip": "10.0.0.1", "mac": "8:0:0:0:1:11"}}}, "host h1: '8:0:0:0:1:11' is no MAC address"),
    ],
)
def test_what_is_wrong_in_the_file_is_said_with_its_name(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(TopologyError, match=f"topology.json: {message}"):
        Topology.read(written(tmp_path, RACK | change))


def test_a_file_that_is_missing_or_no_json_or_no_topology_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match=r"cannot read the topology .*No such file"):
        Topology.read(tmp_path / "topology.json")
    with pytest.raises(TopologyError, match=r"topology.json is no JSON"):
        Topology.read(written(tmp_path, "{"))
    with pytest.raises(TopologyError, match="a topology has hosts, switches and links"):
        Topology.read(written(tmp_path, {"hosts": {}}))


def test_mac_addresses_survive_being_numbers() -> None:
    assert parse_mac("02:00:00:00:00:fe") == 0x0200000000FE
    assert format_mac(0x0200000000FE) == "02:00:00:00:00:fe"
