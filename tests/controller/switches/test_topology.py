from __future__ import annotations

import json
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from dropzero.controller.switches.topology import Topology
from dropzero.controller.switches.view import Host, TopologyError

RACK: dict[str, Any] = {
    "hosts": {
        "h1": {"ip": "10.0.0.1/24", "mac": "08:00:00:00:01:11"},
        "h2": {"ip": "10.0.0.2/24", "mac": "08:00:00:00:02:22", "commands": ["true"]},
    },
    "switches": {"s1": {"runtime_json": "s1-runtime.json"}},
    "links": [["h1", "s1-p1"], ["s1-p7", "h2", "0", 10]],
}
TREE: dict[str, Any] = {
    "hosts": {f"h{i}": {"ip": f"10.0.0.{i}/24", "mac": f"08:00:00:00:00:0{i}"} for i in (1, 2, 3)},
    "switches": {"s1": {}, "s2": {}, "s3": {}},
    "links": [["h1", "s1-p1"], ["h2", "s1-p2"], ["h3", "s2-p1"], ["s1-p3", "s3-p1"], ["s3-p2", "s2-p3"]],
}


def read(tmp_path: Path, topology: Any) -> Topology:
    path = tmp_path / "topology.json"
    path.write_text(topology if isinstance(topology, str) else json.dumps(topology))
    return Topology.read(path)


def test_a_link_may_name_its_ends_in_any_order(tmp_path: Path) -> None:
    network = read(tmp_path, RACK)
    assert network.root == "s1"
    assert network.at(IPv4Address("10.0.0.1")) == Host("h1", IPv4Address("10.0.0.1"), 0x080000000111, 1)
    assert network.views["s1"].hosts["h2"].port == 7
    assert network.at(IPv4Address("10.0.0.3")) is None


def test_the_switch_in_the_middle_is_the_others_parent(tmp_path: Path) -> None:
    network = read(tmp_path, TREE)
    assert network.root == "s3"
    assert network.parents == {"s1": "s3", "s2": "s3"}
    assert network.lineage("s2") == ["s2", "s3"]
    assert network.homes == {IPv4Address(f"10.0.0.{i}"): home for i, home in ((1, "s1"), (2, "s1"), (3, "s2"))}


def test_the_switch_with_fewer_hosts_is_the_parent_of_two(tmp_path: Path) -> None:
    links = [["h1", "s1-p1"], ["h2", "s2-p1"], ["h3", "s1-p2"], ["s1-p3", "s2-p3"]]
    network = read(tmp_path, TREE | {"switches": {"s1": {}, "s2": {}}, "links": links})
    assert network.parents == {"s1": "s2"}


def test_every_switch_has_an_address_of_its_own(tmp_path: Path) -> None:
    assert read(tmp_path, TREE).addresses == {
        "s1": (IPv4Address("10.0.0.253"), 0x0200000000FD),
        "s2": (IPv4Address("10.0.0.252"), 0x0200000000FC),
        "s3": (IPv4Address("10.0.0.254"), 0x0200000000FE),
    }


def test_a_switch_sees_every_station_at_the_port_that_leads_there(tmp_path: Path) -> None:
    network = read(tmp_path, TREE)
    ports = {
        name: {station.name: station.port for station in view.hosts.values()} for name, view in network.views.items()
    }
    assert ports == {
        "s1": {"h1": 1, "h2": 2, "h3": 3, "s2": 3, "s3": 3},
        "s2": {"h1": 3, "h2": 3, "h3": 1, "s1": 3, "s3": 3},
        "s3": {"h1": 1, "h2": 1, "h3": 2, "s1": 1, "s2": 2},
    }
    assert network.views["s3"].at(IPv4Address("10.0.0.252")) == network.views["s3"].hosts["s2"]


@pytest.mark.parametrize(
    ("base", "change", "message"),
    [
        (RACK, {"links": [["h1", "s1-p1"]]}, "no link connects host h2 to switch s1"),
        (RACK, {"links": [["h1", "s1-p1"], ["h2", "s1"]]}, r'\["h2", "s1"\] is not a link like \["h1", "s1-p1"\]'),
        (RACK, {"links": [["h1", "s1-p1"], ["h2", "s2-p1"]]}, r'\["h2", "s2-p1"\] is not a link like'),
        (RACK, {"links": [["h1", "s1-p1"], ["h2", "s1-p1"]]}, "two links end at port 1 of switch s1"),
        (RACK, {"links": [["h1", "s1-p1"], 7]}, "7 is not a link"),
        (RACK, {"switches": {}, "links": []}, "there is no switch"),
        (RACK, {"hosts": {"h1": {"ip": "10.0.0.1/24"}}}, "host h1 needs an ip and a mac"),
        (RACK, {"hosts": {"h1": {"ip": "10.0.0.256", "mac": "08:00:00:00:01:11"}}}, "host h1: .*256"),
        (RACK, {"hosts": {"h1": {"ip": "10.0.0.1", "mac": "8:0:0:0:1:11"}}}, "host h1: '8:0:0:0:1:11' is not a MAC"),
        (TREE, {"links": TREE["links"][:4]}, "no links lead from switch s1 to switch s2"),
        (TREE, {"links": [*TREE["links"], ["s1-p4", "s2-p4"]]}, "the links between the switches form a loop"),
        (TREE, {"links": [*TREE["links"], ["h1", "s2-p9"]]}, "several links connect host h1 to a switch"),
        (
            TREE,
            {"hosts": TREE["hosts"] | {"h3": {"ip": "10.0.0.253", "mac": "08:00:00:00:00:03"}}},
            "s1 and h3 have the same ip, 10.0.0.253",
        ),
    ],
)
def test_errors_in_a_topology_name_the_file_and_the_problem(
    tmp_path: Path, base: dict[str, Any], change: dict[str, Any], message: str
) -> None:
    with pytest.raises(TopologyError, match=f"topology.json: {message}"):
        read(tmp_path, base | change)


def test_a_missing_or_malformed_topology_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match=r"cannot read the topology .*No such file"):
        Topology.read(tmp_path / "topology.json")
    with pytest.raises(TopologyError, match=r"topology.json is not JSON"):
        read(tmp_path, "{")
    with pytest.raises(TopologyError, match="a topology needs hosts, switches and links"):
        read(tmp_path, {"hosts": {}})
