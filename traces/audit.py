"""Does the network add right? Checks every round in a run's captures against the rules, from the packets alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from protocol.packet import Packet
from protocol.slot import Half
from protocol.wire import NO_BLOCK, Kind
from traces.capture import captures


class AuditError(Exception):
    """A packet that breaks the rules; the message says which rule and which packet."""


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
class Audit:
    """What was found, and found right."""

    contributions: dict[RoundId, dict[int, Packet]] = field(default_factory=dict)
    results: dict[RoundId, Packet] = field(default_factory=dict)
    packets: int = 0
    duplicates: int = 0
    asked: int = 0
    """Answers of the kind missing and epoch."""

    def contribution(self, packet: Packet) -> None:
        """Takes in what a worker sent. A worker must send the same again, whenever it sends a round again."""
        self.packets += 1
        sent = self.contributions.setdefault(RoundId.of(packet), {})
        before = sent.setdefault(packet.worker, packet)
        if before is not packet:
            self.duplicates += 1
            if before.encode() != packet.encode():
                raise AuditError(f"{RoundId.of(packet)}: worker {packet.worker} sent two different contributions")

    def answer(self, packet: Packet) -> None:
        """Takes in what the switch sent. All results of a round must be the same as far as they go: each may be a part,
        and names the worker it is for."""
        self.packets += 1
        if packet.kind is not Kind.RESULT:
            self.asked += 1
            return
        name = RoundId.of(packet)
        packet = replace(packet, worker=0)
        before = self.results.setdefault(name, packet)
        both = replace(before, data={**before.data, **packet.data})
        if replace(before, data={}) != replace(packet, data={}) or not (_fits(before, both) and _fits(packet, both)):
            raise AuditError(f"{name}: two different results")
        self.results[name] = both

    def check(self) -> None:
        """Checks each result against the contributions of its round, and each round against the one before.

        Raises:
            AuditError: a rule is broken.
        """
        for name, result in self.results.items():
            sent = self.contributions.get(name, {})
            expected = Half()
            for packet in sent.values():
                expected.add(packet)
            if result.workers != expected.seen:
                raise AuditError(f"{name}: the result is of workers {result.workers:#x}, seen were {expected.seen:#x}")
            if [(c.next, c.exponent) for c in result.columns] != [(c.next, c.exponent) for c in expected.columns]:
                raise AuditError(f"{name}: the result announces {result.columns}, not {expected.columns}")
            if set(result.data) != set(expected.data):
                raise AuditError(f"{name}: the result has data columns {set(result.data)}, not {set(expected.data)}")
            for column, elements in expected.data.items():
                if not np.array_equal(result.data[column], elements):
                    raise AuditError(f"{name}: the sum in data column {column} is wrong")
            before = self.results.get(name._replace(round=name.round - 1))
            if before and [c.block for c in result.columns] != [c.next for c in before.columns]:
                asked, got = [c.next for c in before.columns], [c.block for c in result.columns]
                if any(block != NO_BLOCK for block in asked + got):
                    raise AuditError(f"{name}: blocks {got} where the round before asked for {asked}")


def _fits(part: Packet, whole: Packet) -> bool:
    return all(np.array_equal(elements, whole.data[column]) for column, elements in part.data.items())


def audit(folder: Path) -> Audit:
    """Reads all captures of a run's switch and checks them.

    Raises:
        CaptureError, MalformedPacket: not the captures of a run.
        AuditError: a rule is broken.
    """
    found = Audit()
    for capture in captures(folder):
        take = found.contribution if capture.direction == "in" else found.answer
        for packet in capture.packets():
            take(packet)
    found.check()
    return found
