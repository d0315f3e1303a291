"""Checks a run's captures: every round must follow the rules, and every sum must be right.

Each switch is checked separately: the packets it sent against those it received. A leaf's results are its parent's.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.slot import Half
from dropzero.protocol.wire import ASSIGNED, NO_BLOCK, UDP_PORT, Kind
from dropzero.traces.capture import Capture, CaptureError, Direction, captures


class AuditError(Exception):
    """A packet breaks a rule; the message names both."""


class RoundId(NamedTuple):
    """One round of one lane."""

    job: int
    epoch: int
    lane: int
    round: int

    @classmethod
    def of(cls, packet: Packet) -> RoundId:
        return cls(packet.job, packet.epoch, packet.lane, packet.round)

    def __str__(self) -> str:
        return f"job {self.job}, epoch {self.epoch}, lane {self.lane}, round {self.round}"


@dataclass
class Marks:
    """The congestion marks of one worker's contribution to a round, over all its transmissions."""

    some: bool = False
    every: bool = True

    def add(self, packet: Packet) -> None:
        marked = packet.marked or packet.congested
        self.some |= marked
        self.every &= marked


@dataclass
class Ledger:
    """The packets of one switch."""

    contributions: dict[RoundId, dict[int, Packet]] = field(default_factory=dict)
    marks: dict[RoundId, dict[int, Marks]] = field(default_factory=dict)
    shares: dict[RoundId, Packet] = field(default_factory=dict)
    """Shares that a leaf sent to its parent."""
    given: dict[RoundId, Packet] = field(default_factory=dict)
    """A leaf's results, as its parent sent them."""
    results: dict[RoundId, Packet] = field(default_factory=dict)
    headers: dict[RoundId, dict[int, bool]] = field(default_factory=dict)
    """Whether a result went to a worker without its data."""
    packets: int = 0
    duplicates: int = 0
    marked: int = 0
    """Packets that met a long queue."""
    asked: int = 0
    """The number of answers other than results."""

    def read(self, capture: Capture) -> None:
        """Adds all packets captured at one of the switch's ports."""
        for packet in capture.packets():
            self.packets += 1
            self.marked += packet.marked
            if packet.kind is Kind.CONTRIBUTION:
                self.contribution(packet) if capture.direction == "in" else _join(self.shares, packet)
            elif packet.kind is Kind.RESULT:
                if capture.direction == "in":
                    _join(self.given, packet)
                else:
                    headers = self.headers.setdefault(RoundId.of(packet), {})
                    headers[packet.worker] = packet.declines and not packet.data
                    _join(self.results, replace(packet, declines=False))
            elif packet.kind is not Kind.QUERY:
                self.asked += 1

    def contribution(self, packet: Packet) -> None:
        """Adds a worker's contribution. All its copies must be equal."""
        name = RoundId.of(packet)
        self.marks.setdefault(name, {}).setdefault(packet.worker, Marks()).add(packet)
        packet = replace(packet, marked=False, congested=False)
        sent = self.contributions.setdefault(name, {})
        before = sent.setdefault(packet.worker, packet)
        if before is not packet:
            self.duplicates += 1
            if before.encode() != packet.encode():
                raise AuditError(f"{name}: worker {packet.worker} sent two different contributions")

    def check(self) -> None:
        """Checks each result against the contributions to its round, and each round against the one before. Raises
        AuditError if a rule is broken."""
        assigned: dict[tuple[int, int, int], RoundId] = {}
        for name, share in self.shares.items():
            expected = self._sum(name)
            self._check_sum(name, share, expected)
            if share.declines != (expected.declined == expected.seen):
                raise AuditError(f"{name}: the share {'declines' if share.declines else 'asks for'} the result's data")
        for name, result in self.results.items():
            expected = self._sum(name)
            if result.workers != expected.seen:
                raise AuditError(
                    f"{name}: the result names workers {result.workers:#x}, but {expected.seen:#x} contributed"
                )
            if name in self.given:
                expected.settle(self.given[name])
            else:
                self._check_marks(name, result)
                for at, column in enumerate(expected.columns):
                    chunk = result.columns[at].next
                    if column.next == NO_BLOCK and chunk & ASSIGNED:
                        expected.columns[at] = replace(column, next=chunk)
                        before = assigned.setdefault((name.job, name.epoch, chunk), name)
                        if before != name:
                            raise AuditError(f"{name}: chunk {chunk - ASSIGNED} was already assigned in {before}")
            if expected.declined == expected.seen:
                expected.data = {}
            self._check_sum(name, result, expected)
            self._check_blocks(name, result)
            for worker, without in self.headers[name].items():
                if without != bool(expected.declined >> worker & 1):
                    got = "no data" if without else "data that it had declined"
                    raise AuditError(f"{name}: worker {worker} got {got}")

    def _sum(self, name: RoundId) -> Half:
        """The sum of the contributions to a round."""
        half = Half()
        for packet in self.contributions.get(name, {}).values():
            half.add(packet)
        return half

    def _call(self, name: RoundId) -> int:
        """The digest of a round's call; 0 if no contribution was captured."""
        return next((packet.workers for packet in self.contributions.get(name, {}).values()), 0)

    @staticmethod
    def _check_sum(name: RoundId, packet: Packet, expected: Half) -> None:
        announced, wanted = _announced(packet.columns), _announced(expected.columns)
        if announced != wanted:
            raise AuditError(f"{name}: the {packet.kind.name.lower()} announces {packet.columns}, not {wanted}")
        if set(packet.data) != set(expected.data):
            raise AuditError(f"{name}: the result has data columns {set(packet.data)}, not {set(expected.data)}")
        for column, elements in expected.data.items():
            if not np.array_equal(packet.data[column], elements):
                raise AuditError(f"{name}: the sum in data column {column} is wrong")

    def _check_marks(self, name: RoundId, result: Packet) -> None:
        """Checks the congestion mark. If a contribution was retransmitted, it is unknown which copy was added."""
        marks = self.marks.get(name, {}).values()
        if not any(each.every for each in marks) <= result.congested <= any(each.some for each in marks):
            raise AuditError(f"{name}: the result is {'' if result.congested else 'not '}marked as congested")

    def _check_blocks(self, name: RoundId, result: Packet) -> None:
        """Checks that a round carries the blocks that the round before requested. The first round of a call may carry
        any blocks. If it does, the next one repeats a block whose exponent was different, or carries a later one; and
        so on."""
        before = name._replace(round=name.round - 1)
        if before not in self.results:
            return
        same_call = self._call(before) == self._call(name)
        for number, last in enumerate(self.results[before].columns):
            asked = NO_BLOCK if last.next & ASSIGNED else last.next
            got = result.columns[number].block if same_call else NO_BLOCK
            if got != asked and not (got > asked == last.block):
                raise AuditError(f"{name}: column {number} has block {got}, but the round before requested {asked}")


def _announced(columns: Iterable[Column]) -> list[tuple[int, int]]:
    return [(column.next, column.exponent) for column in columns]


def _join(whole: dict[RoundId, Packet], packet: Packet) -> None:
    """Adds a result or share, or one of its two parts. All copies for a round must be equal, except for the recipient
    and the mark of the queue that they met."""
    name = RoundId.of(packet)
    packet = replace(packet, worker=0, secret=0, marked=False)
    before = whole.setdefault(name, packet)
    both = replace(before, data={**before.data, **packet.data})
    if replace(before, data={}) != replace(packet, data={}) or not (_fits(before, both) and _fits(packet, both)):
        raise AuditError(f"{name}: two different {packet.kind.name.lower()}s")
    whole[name] = both


def _fits(part: Packet, whole: Packet) -> bool:
    return all(np.array_equal(elements, whole.data[column]) for column, elements in part.data.items())


@dataclass
class Audit:
    """The captured packets, by switch."""

    switches: dict[str, Ledger] = field(default_factory=dict)

    @property
    def results(self) -> dict[RoundId, Packet]:
        """Each round's result, as the topmost switch sent it."""
        tops = (
            {name: result for name, result in each.results.items() if name not in each.given}
            for each in self.switches.values()
        )
        return dict(ChainMap(*tops))

    @property
    def packets(self) -> int:
        return sum(each.packets for each in self.switches.values())

    @property
    def duplicates(self) -> int:
        return sum(each.duplicates for each in self.switches.values())

    @property
    def marked(self) -> int:
        return sum(each.marked for each in self.switches.values())

    @property
    def asked(self) -> int:
        return sum(each.asked for each in self.switches.values())

    def check(self) -> None:
        """Checks each switch, and that leaves received what their parents sent, if that was captured. Raises AuditError
        if a rule is broken."""
        for ledger in self.switches.values():
            ledger.check()
        results = self.results
        for switch, leaf in self.switches.items():
            for name, given in leaf.given.items():
                sent = results.get(name, given)
                if sent.columns != given.columns or not _fits(given, sent):
                    raise AuditError(f"{name}: {switch} received a different result than its parent sent")


def audit(folder: Path) -> Audit:
    """Reads and checks all captures of a run's switches.

    Raises:
        CaptureError: the folder does not have the captures of a run, in both directions, with a result.
        AuditError: a rule is broken.
    """
    found = Audit()
    ways: dict[str, set[Direction]] = {}
    for capture in captures(folder):
        ways.setdefault(capture.interface, set()).add(capture.direction)
        found.switches.setdefault(capture.switch, Ledger()).read(capture)
    for interface, directions in ways.items():
        if len(directions) == 1:
            raise CaptureError(f"{folder} has captures of one direction of {interface} only ({directions.pop()})")
    if not found.packets:
        raise CaptureError(f"the captures in {folder} have no Dropzero packets (UDP port {UDP_PORT})")
    found.check()
    if not found.results:
        raise CaptureError(f"the captures in {folder} have no result of a round: there is nothing to check")
    return found
