"""A lane's packets as its captures show them: who sent what to whom, retransmissions, and losses."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from scapy.utils import PcapWriter
from typer.testing import CliRunner

from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import ASSIGNED, UDP_PORT, Kind
from dropzero.simulator.tree import JOB, Node
from dropzero.traces.capture import CaptureError, captures
from dropzero.traces.cli import app
from dropzero.traces.lane import read_lane
from dropzero.traces.message import Message
from tests.support.network import Fabric, Switch, all_reduce, members, members_of_tree, model, model_tree, racks
from tests.traces.frames import udp_frame

WORKERS, LANES = 3, 5
SEED = 1
"""With it, no result is lost on its way to all workers: the captures would not show when it was sent."""


class LossySwitches:
    """Switches whose program drops packets on their way in and out, and captures at their ports, which see what comes
    in and what leaves.

    Attributes:
        folder: of the run.
        lost: the packets dropped, by switch, neighbour, lane, epoch and round.
    """

    def __init__(self, folder: Path, fabric: Fabric, loss: float) -> None:
        """folder: of the run; its captures are in pcaps/."""
        (folder / "pcaps").mkdir()
        self.folder, self._loss, self._draw, self._now = folder, loss, random.Random(SEED), 0
        self._writers: dict[str, Any] = {}
        self.lost: Counter[tuple[str, str, int, int, int]] = Counter()
        stations = [*range(len(fabric.homes)), *fabric.switches]
        self._addresses = {station: f"10.0.0.{number}" for number, station in enumerate(stations, 1)}
        hosts = {f"h{rank + 1}": {"ip": f"{self._addresses[rank]}/24"} for rank in range(len(fabric.homes))}
        (folder / "topology.json").write_text(json.dumps({"hosts": hosts, "switches": dict.fromkeys(fabric.switches)}))
        self.fabric = Fabric(
            {name: partial(self._pass, name, each) for name, each in fabric.switches.items()}, fabric.homes
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._writers.values():
            writer.close()

    def _pass(self, name: Node, switch: Switch, sender: Node, payload: bytes) -> list[tuple[Node, bytes]]:
        self._now += 1
        self._write(name, sender, "in", payload)
        if self._drops(name, sender, payload):
            return []
        self._now += 1
        answers = switch(sender, payload)
        kept = [each for each in answers if not self._drops(name, *each)]
        if len(answers) == 2 and not kept and len({receiver for receiver, _ in answers}) == 1:
            # A repeated long result, all of which is dropped, is listed as one loss.
            self.lost[self._place(name, *answers[0])] -= 1
        for receiver, answer in kept:
            self._write(name, receiver, "out", answer)
        return kept

    def _drops(self, switch: Node, peer: Node, payload: bytes) -> bool:
        lost = self._draw.random() < self._loss
        self.lost[self._place(switch, peer, payload)] += lost
        return lost

    def _place(self, switch: Node, peer: Node, payload: bytes) -> tuple[str, str, int, int, int]:
        packet = Packet.decode(payload)
        return str(switch), _name(peer), packet.lane, packet.epoch, packet.round

    def _write(self, switch: Node, peer: Node, direction: str, payload: bytes) -> None:
        path = self.folder / "pcaps" / f"dz0{switch}-eth{self._addresses[peer].rpartition('.')[2]}_{direction}.pcap"
        if path.name not in self._writers:
            self._writers[path.name] = PcapWriter(str(path), linktype=1)
            self._writers[path.name].write_header(None)
        ends = self._addresses[peer], self._addresses[switch]
        source, destination = ends if direction == "in" else ends[::-1]
        frame = udp_frame(payload, source=source, destination=destination, ports=(UDP_PORT, UDP_PORT))
        self._writers[path.name].write_packet(frame, sec=0, usec=self._now)


def _name(station: Node) -> str:
    return f"h{station + 1}" if isinstance(station, int) else str(station)


def tensors(workers: int) -> list[Any]:
    """With blocks in several chunks of a column."""
    draw = np.random.default_rng(0)
    size = 8 * 32 * LANES * 70
    return [(draw.standard_normal(size) * (draw.random(size) < 0.001)).astype(np.float32) for _ in range(workers)]


@pytest.fixture(scope="module")
def rack(tmp_path_factory: pytest.TempPathFactory) -> LossySwitches:
    """A rack with losses, after a call."""
    with LossySwitches(tmp_path_factory.mktemp("rack"), model(WORKERS, LANES), 0.2) as switches:
        all_reduce(members(WORKERS, LANES), switches.fabric, tensors(WORKERS))
    return switches


def test_every_packet_is_listed_once_per_link(rack: LossySwitches) -> None:
    lanes = [read_lane(rack.folder / "pcaps", JOB, lane) for lane in range(LANES)]
    seen = sum(len(list(capture.packets())) for capture in captures(rack.folder / "pcaps"))
    told = [each for lane in lanes for each in lane.messages]
    # A packet that the program drops on the way out never reaches a port.
    assert seen <= len(told) <= seen + rack.lost.total()
    for lane in lanes:
        assert (lane.hosts, lane.switches) == (["h1", "h2", "h3"], ["switch"])
        assert all(
            (each.sender == "switch") is (each.packet.kind not in (Kind.CONTRIBUTION, Kind.QUERY))
            for each in lane.messages
        )
        assert [each.time for each in lane.messages] == sorted(each.time for each in lane.messages)


def test_a_loss_in_the_switch_is_listed_with_its_worker_and_round(rack: LossySwitches) -> None:
    assert rack.lost.total() > 20
    assert losses(rack.folder) == rack.lost


def losses(folder: Path) -> Counter[tuple[str, str, int, int, int]]:
    found: Counter[tuple[str, str, int, int, int]] = Counter()
    for number in range(LANES):
        lane = read_lane(folder / "pcaps", JOB, number)
        for each in lane.messages:
            if each.lost:
                switch, peer = (
                    (each.sender, each.receiver) if each.sender in lane.switches else (each.receiver, each.sender)
                )
                found[switch, peer, number, each.packet.epoch, each.packet.round] += 1
    return found


def test_messages_between_switches_are_listed_once(tmp_path: Path) -> None:
    shape = racks(2, 1)
    with LossySwitches(tmp_path, model_tree(shape, LANES), 0.1) as switches:
        all_reduce(members_of_tree(shape, LANES), switches.fabric, tensors(3))
    lane = read_lane(tmp_path / "pcaps", JOB, 0)
    assert (lane.hosts, sorted(lane.switches)) == (["h1", "h2", "h3"], ["leaf0", "leaf1", "spine"])
    pairs = {(each.sender, each.receiver) for each in lane.messages}
    links = [("h1", "leaf0"), ("h2", "leaf0"), ("h3", "leaf1"), ("leaf0", "spine"), ("leaf1", "spine")]
    assert pairs == {pair for low, high in links for pair in ((low, high), (high, low))}
    shares = Counter(each.packet.round for each in lane.messages if (each.sender, each.receiver) == ("leaf0", "spine"))
    assert len(shares) == max(shares) + 1
    # Which of two neighbours' packets was lost cannot always be told, nor how often one that was repeated was lost.
    assert losses(tmp_path).total() == pytest.approx(switches.lost.total(), rel=0.05)


def test_a_round_whose_only_request_was_of_another_epoch_has_no_loss(tmp_path: Path) -> None:
    """As when the capture ends while the workers enter a new epoch."""
    (tmp_path / "pcaps").mkdir()
    said = [("in", Kind.CONTRIBUTION, 1), ("out", Kind.EPOCH, 2)]
    for time, (direction, kind, epoch) in enumerate(said):
        ends = ["10.0.0.1", "10.0.0.254"] if direction == "in" else ["10.0.0.254", "10.0.0.1"]
        packet = Packet(kind, job=JOB, lane=0, epoch=epoch, round=0, worker=0)
        frame = udp_frame(packet.encode(), source=ends[0], destination=ends[1], ports=(UDP_PORT, UDP_PORT))
        with PcapWriter(str(tmp_path / "pcaps" / f"s1-eth1_{direction}.pcap"), linktype=1) as writer:
            writer.write_header(None)
            writer.write_packet(frame, sec=0, usec=time)
    messages = read_lane(tmp_path / "pcaps", JOB, 0).messages
    assert [(each.packet.kind, each.lost) for each in messages] == [(kind, False) for _, kind, _ in said]


def test_without_a_topology_hosts_are_named_by_address(tmp_path: Path, rack: LossySwitches) -> None:
    shutil.copytree(rack.folder / "pcaps", tmp_path / "pcaps")
    lane = read_lane(tmp_path / "pcaps", JOB, 0)
    assert (lane.hosts, lane.switches) == (["10.0.0.1", "10.0.0.2", "10.0.0.3"], ["dz0switch"])


def test_a_lane_that_was_not_captured_is_named(rack: LossySwitches) -> None:
    with pytest.raises(CaptureError, match=f"no packets of lane 9 of job {JOB}"):
        read_lane(rack.folder / "pcaps", JOB, 9)


def shown(folder: Path, *options: str) -> str:
    done = CliRunner().invoke(app, ["show", str(folder / "pcaps"), "--lane", "0", "--job", str(JOB), *options])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_diagram_has_an_arrow_for_each_message(rack: LossySwitches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dropzero.console.WIDTH", 80)
    heading, *lines = shown(rack.folder, "--count", "100000").splitlines()
    assert heading.split() == ["ms", "h1", "h2", "h3", "switch"]
    assert max(map(len, [heading, *lines])) <= 80
    told = [json.loads(line) for line in shown(rack.folder, "--count", "100000", "--json").splitlines()]
    heads = sum(line.count("▶") + line.count("◀") + line.count("✕") for line in lines)
    assert heads == len(told)
    assert sum("lost)" in line for line in lines) == sum(each["lost"] for each in told)
    assert sum("(again" in line for line in lines) == sum(each["again"] for each in told)
    results = [each for each in read_lane(rack.folder / "pcaps", JOB, 0).messages if each.packet.kind is Kind.RESULT]
    dealt = {column.next - ASSIGNED for each in results for column in each.packet.columns}
    whole = [line.partition("chunk")[2] for line in lines if not line.endswith("…")]
    said = {int(number) for line in whole for number in re.findall(r"\d+", line)}
    assert said <= dealt
    assert len(said) > 1


@pytest.mark.parametrize(
    ("numbers", "words"), [([4], "chunk 4"), ([4, 5], "chunks 4-5"), ([1, 3, 4, 5, 9], "chunks 1 3-5 9")]
)
def test_dealt_chunks_are_listed_as_ranges(numbers: list[int], words: str) -> None:
    columns = tuple(Column(next=ASSIGNED + number) for number in numbers)
    packet = Packet(Kind.RESULT, job=1, lane=0, epoch=1, round=7, worker=0, columns=columns)
    assert Message(0, "s1", "h1", packet).text == f"result 7: {words}"


def test_hosts_and_rounds_can_be_chosen(rack: LossySwitches) -> None:
    heading, *lines = shown(rack.folder, "--host", "h2", "--round", "3", "--count", "4").splitlines()
    assert heading.split() == ["ms", "h2", "switch"]
    assert " 3" in lines[0]
    assert len(lines) == 4 + 1
    assert lines[-1].endswith("more packets: choose with --round, --count")
    wrong = CliRunner().invoke(
        app, ["show", str(rack.folder / "pcaps"), "--lane", "0", "--job", str(JOB), "--host", "h9"]
    )
    assert (wrong.exit_code, wrong.stderr) == (2, "dropzero: lane 0 has no host h9; it has h1, h2, h3\n")
    assert shown(rack.folder, "--host", "h2", "--host", "h2", "--count", "1").splitlines()[0].split() == heading.split()


def test_a_choice_without_packets_says_so(rack: LossySwitches) -> None:
    options = ["show", str(rack.folder / "pcaps"), "--job", str(JOB), "--host", "h1", "--round", "99999"]
    late = CliRunner().invoke(app, [*options, "--lane", "0"])
    assert (late.exit_code, late.stderr) == (2, "dropzero: lane 0 has no packets of h1 from round 99999 on\n")
    listed = CliRunner().invoke(app, options)
    assert str(listed.exception) == "--host and --round choose packets of a --lane"


def test_a_narrow_terminal_shows_the_hosts_that_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dropzero.console.WIDTH", 80)
    with LossySwitches(tmp_path, model(12, LANES), 0.0) as switches:
        all_reduce(members(12, LANES), switches.fabric, tensors(12))
    heading, *lines = shown(tmp_path).splitlines()
    assert heading.split()[1:] == [*(f"h{rank}" for rank in range(1, 7)), "swit"]
    assert lines[-1] == "6 more hosts: choose with --host"
