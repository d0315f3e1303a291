"""Reads one lane's packets from captures, in the order in which the switches saw them."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import NamedTuple

from dropzero.protocol.packet import Packet
from dropzero.protocol.wire import ANSWERS, Kind
from dropzero.traces.capture import CaptureError, Direction, captures
from dropzero.traces.losses import rounds
from dropzero.traces.message import Message, Sight


class _Captured(NamedTuple):
    """A packet at a port of a switch."""

    direction: Direction
    time: int
    ends: tuple[IPv4Address, IPv4Address]
    packet: Packet


@dataclass(frozen=True)
class Lane:
    """One lane's captured packets.

    Attributes:
        hosts, switches: the names of those that sent or received one.
        messages: ordered by time.
    """

    hosts: list[str]
    switches: list[str]
    messages: list[Message]


def read_lane(folder: Path, job: int, lane: int) -> Lane:
    """Reads a lane from the captures in a folder.

    Hosts are named as in the topology.json next to the folder, or, without it, by their addresses. Raises CaptureError
    if there are no captures, one is truncated, or they have no packets of the lane."""
    names, switches = _topology(folder.parent / "topology.json")
    found: dict[str, list[_Captured]] = {}
    for capture in captures(folder):
        switch = max((each for each in switches if capture.switch.endswith(each)), key=len, default=capture.switch)
        packets = [_Captured(capture.direction, *packet) for packet in capture.of_lane(job, lane)]
        found.setdefault(switch, []).extend(packets)
        for packet in packets:
            names.setdefault(packet.ends[capture.direction == "in"], switch)
    if not any(found.values()):
        raise CaptureError(f"{folder} has no packets of lane {lane} of job {job}")
    seen = {switch: [_sight(each, names) for each in packets] for switch, packets in found.items()}
    messages = _joined(seen)
    for switch, sights in seen.items():
        for each in rounds(switch, sights):
            messages += each.losses(switch)
    messages.sort(key=lambda each: each.time)
    _mark_retransmissions(messages)
    involved = {name for each in messages for name in (each.sender, each.receiver)}
    hosts = sorted(involved - seen.keys(), key=lambda name: (len(name), name))
    return Lane(hosts, [switch for switch in seen if switch in involved], messages)


def _topology(path: Path) -> tuple[dict[IPv4Address, str], list[str]]:
    """The hosts' names by address, and the switches' names; empty if the file is missing or malformed."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        described = json.loads(path.read_text())
        hosts = {IPv4Interface(host["ip"]).ip: name for name, host in described["hosts"].items()}
        return hosts, list(described["switches"])
    return {}, []


def _sight(captured: _Captured, names: Mapping[IPv4Address, str]) -> Sight:
    sender, receiver = (names.get(end, str(end)) for end in captured.ends)
    return Sight(captured.time, captured.direction, Message(captured.time, sender, receiver, captured.packet))


def _joined(seen: Mapping[str, list[Sight]]) -> list[Message]:
    """The messages, each once. Both switches see a message between them, unless it is lost on the way."""
    messages: list[Message] = []
    leaving: defaultdict[tuple[object, ...], deque[Message]] = defaultdict(deque)
    for switch, sights in seen.items():
        for _, direction, message in sights:
            # Skip forwarded messages, which were seen when they came in.
            if direction == "out" and message.sender == switch:
                messages.append(message)
                if message.receiver in seen:
                    leaving[_name(message)].append(message)
    for sights in seen.values():
        for index, (time, direction, message) in enumerate(sights):
            if direction == "in":
                if sent := leaving[_name(message)]:
                    sights[index] = Sight(time, direction, sent.popleft())
                else:
                    messages.append(message)
    for unseen in leaving.values():
        for message in unseen:
            message.lost = True
    return messages


def _name(message: Message) -> tuple[object, ...]:
    """A key that is equal for copies of a message."""
    packet = message.packet
    return message.sender, message.receiver, packet.kind, packet.epoch, packet.round, packet.mask, len(packet.columns)


def _mark_retransmissions(messages: Iterable[Message]) -> None:
    before = set()
    for message in messages:
        if message.packet.kind in (Kind.CONTRIBUTION, Kind.QUERY, *ANSWERS):
            message.again = _name(message) in before
            before.add(_name(message))
