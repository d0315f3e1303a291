"""Finds a lane's lost packets, as far as captures at the switches' ports can tell.

The rules in docs/protocol.md say which packets a switch answers. If one has no answer, either it or the answer was
lost.
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce

from dropzero.protocol.packet import Packet
from dropzero.protocol.wire import ANSWERS, REPORTS, Kind
from dropzero.traces.message import Message, Sight


def rounds(switch: str, sights: Iterable[Sight]) -> Iterable[Round]:
    """Groups a switch's sights by round."""
    rounds: defaultdict[tuple[int, int], Round] = defaultdict(Round)
    latest: dict[str, list[Sight]] = {}
    for sight in sorted(sights, key=lambda each: each[:2]):
        message = sight.message
        if switch not in (message.sender, message.receiver):
            continue
        epoch, number = message.packet.epoch, message.packet.round
        found = rounds[epoch, number]
        if message.packet.kind is Kind.EPOCH:
            # It answers a request of another epoch, which is then not part of its round.
            if requests := latest.pop(message.receiver, None):
                requests.pop()
        elif message.sender == switch:
            found.sent.append(sight)
        elif message.packet.kind in (Kind.CONTRIBUTION, Kind.QUERY):
            of_kind = found.copies if message.packet.kind is Kind.CONTRIBUTION else found.queries
            # The round after next uses the same half: by then all have the result, and the switch ignores late copies.
            is_late = (epoch, number + 2) in rounds
            latest[message.sender] = [] if is_late else of_kind[message.sender]
            latest[message.sender].append(sight)
        elif message.packet.kind in ANSWERS:
            found.given.append(sight)
        elif message.packet.kind in REPORTS:
            found.reports.append(sight)
    return rounds.values()


@dataclass
class Round:
    """One switch's sights of one round of the lane, ordered by time."""

    copies: defaultdict[str, list[Sight]] = field(default_factory=lambda: defaultdict(list))
    """The contributions of each neighbour."""
    queries: defaultdict[str, list[Sight]] = field(default_factory=lambda: defaultdict(list))
    """Those of each neighbour."""
    given: list[Sight] = field(default_factory=list)
    """A leaf's results, from its parent."""
    reports: list[Sight] = field(default_factory=list)
    """Its parent's reports."""
    sent: list[Sight] = field(default_factory=list)

    def losses(self, switch: str) -> Iterator[Message]:
        """Marks the sights whose message was lost. Yields the results that the switch program dropped."""
        shares = [sight for sight in self.sent if sight.message.packet.kind is Kind.CONTRIBUTION]
        answers = [sight for sight in self.sent if sight.message.packet.kind in ANSWERS]
        answered = min((sight.time for sight in answers), default=math.inf)
        asked_above = [sight for sight in self.sent if sight.message.packet.kind is Kind.QUERY]
        # A report that no worker is missing, or a query above, shows that a leaf's first share was lost in the switch.
        none_missing = [each for each in self.sent if _is_report(each) and not each.message.packet.workers]
        complete = min([answered, *(sight.time for sight in [*none_missing, *shares, *asked_above])])
        contributors = [peer for peer, copies in self.copies.items() if copies]
        lowest = min(contributors, key=lambda peer: self.copies[peer][0].message.packet.worker, default="")
        # The last one until then is the one that was passed on.
        for sight in [each for each in self.given if each.time <= answered][: -1 if answers else None]:
            sight.message.lost = True
        asked_parent = []
        for peer in {**self.copies, **self.queries}:
            copies, queries = self._requests(peer, answered)
            told = [sight for sight in self.sent if sight.message.receiver == peer]
            replies, dropped = _whole([sight for sight in told if sight in answers], answers, copies)
            yield from dropped
            before, between, after = _parted(copies, complete, answered)
            asked_parent += between
            # A copy in the same batch as the last contribution, but after it, was answered with the result.
            late = max(0, len(replies) - 1 - len(after))
            reports = [each for each in told if _is_report(each)]
            if peer == lowest and (shares or asked_above):
                queries, reports = self._above(queries, reports, asked_above, complete, answered)
            _mark_before(before[: len(before) - late], queries, reports)
            if not answers:
                continue
            first = Sight(int(answered), "out", answers[0].message)
            for sight in _unanswered([first, *after], replies):
                if sight is not first:
                    sight.message.lost = True
                    continue
                # Results that the others got at once.
                for packet in _parts(answers, answered):
                    yield Message(int(answered), switch, peer, packet, lost=True)
        # The first share needed no request.
        first_was_seen = bool(shares) and shares[0].time <= complete
        if shares and not first_was_seen:
            first_share = shares[0].message
            yield Message(int(complete), switch, first_share.receiver, first_share.packet, lost=True)
        for sight in _unanswered(sorted(asked_parent, key=lambda each: each.time), shares[first_was_seen:]):
            sight.message.lost = True

    def _above(
        self, queries: list[Sight], reports: list[Sight], asked_above: list[Sight], complete: float, answered: float
    ) -> tuple[list[Sight], list[Sight]]:
        """Marks the lost queries of a leaf's lowest worker that would have gone up, and the parent's lost reports.
        Returns the worker's other queries and reports."""
        # The leaf has the result if it says that nobody is missing.
        messages = [(sight, sight.message.packet) for sight in reports]
        none_missing = [sight for sight, packet in messages if packet.kind is Kind.MISSING and not packet.workers]
        answered = min([answered, *(sight.time for sight in none_missing)])
        above = _unanswered(queries, none_missing)
        rest = _unanswered(above, asked_above)
        for sight in rest:
            sight.message.lost = complete < sight.time <= answered
        passed_up = [sight for sight in above if sight not in rest]
        passed_down = [sight for sight in reports if complete < sight.time <= answered and sight not in none_missing]
        for sight in _unanswered([each for each in self.reports if each.time <= answered], passed_down):
            sight.message.lost = True
        return (
            [sight for sight in queries if not sight.message.lost and sight not in passed_up],
            [sight for sight in reports if sight not in passed_down],
        )

    def _requests(self, peer: str, answered: float) -> tuple[list[Sight], list[Sight]]:
        """Divides a neighbour's requests into those for a result, and queries that only a report can answer: without
        columns, or before the round was answered."""
        for_result = [each for each in self.queries[peer] if each.message.packet.columns and each.time > answered]
        others = [each for each in self.queries[peer] if each not in for_result]
        return sorted(self.copies[peer] + for_result, key=lambda each: each.time), others


def _is_report(sight: Sight) -> bool:
    return sight.message.packet.kind in REPORTS


def _parted(copies: list[Sight], complete: float, answered: float) -> tuple[list[Sight], list[Sight], list[Sight]]:
    """Divides copies into those until the round is complete, those until it is answered, and later ones."""
    before = [sight for sight in copies if sight.time <= complete]
    between = [sight for sight in copies if complete < sight.time <= answered]
    return before, between, [sight for sight in copies if sight.time > answered]


def _parts(answers: list[Sight], time: float) -> Iterable[Packet]:
    """The packets of the result that went to all at this time: one, or two parts, of which one may be lost."""
    known = _by_mask(answers)
    parts = _by_mask(sight for sight in answers if sight.time == time)
    whole = _whole_mask(known)
    for mask, packet in list(parts.items()):
        if mask != whole:
            parts.setdefault(whole ^ mask, _other_part(packet, known))
    return parts.values()


def _by_mask(answers: Iterable[Sight]) -> dict[int, Packet]:
    return {sight.message.packet.mask: sight.message.packet for sight in answers}


def _whole_mask(known: dict[int, Packet]) -> int:
    return reduce(operator.or_, known, 0)


def _other_part(part: Packet, known: dict[int, Packet]) -> Packet:
    """The other part of a long result. If all of its copies were dropped, its content is unknown."""
    return known.get(_whole_mask(known) ^ part.mask, replace(part, data={}))


def _whole(replies: list[Sight], answers: list[Sight], requests: list[Sight]) -> tuple[list[Sight], list[Message]]:
    """Joins the two parts of long results to a neighbour. Returns one sight of each result, and the parts that the
    switch program dropped. answers: the results to all. requests: the neighbour's."""
    known = _by_mask(answers)
    whole = _whole_mask(known)
    alone: dict[int, list[Sight]] = {}
    found = []
    for sight in replies:
        mask = sight.message.packet.mask
        others = alone.get(whole ^ mask, [])
        # A request in between was answered with another result.
        if mask != whole and others and not any(others[-1].time < each.time <= sight.time for each in requests):
            others.pop()
            continue
        found.append(sight)
        if mask != whole:
            alone.setdefault(mask, []).append(sight)
    dropped = []
    for halves in alone.values():
        for time, _, message in halves:
            packet = _other_part(message.packet, known)
            dropped.append(Message(time, message.sender, message.receiver, packet, lost=True))
    return found, dropped


def _mark_before(copies: list[Sight], queries: list[Sight], reports: list[Sight]) -> None:
    """Marks the lost queries, and the lost copies of a contribution to a round that waits for others: the switch
    reports the missing workers to all but the first copy that it gets."""
    unanswered = _unanswered(sorted(copies + queries, key=lambda each: each.time), reports)
    since, until = -math.inf, math.inf
    for time, _, message in reports:
        if message.packet.workers >> message.packet.worker & 1:
            since = time
        else:
            until = min(until, time)
    # The one that was added up.
    added = [sight for sight in copies if sight in unanswered and since <= sight.time <= until][-1:]
    for sight in unanswered:
        if sight not in added:
            sight.message.lost = True


def _unanswered(asked: list[Sight], replies: list[Sight]) -> list[Sight]:
    """The requests without a reply. Each reply belongs to the latest earlier request that has none."""
    rest = list(asked)
    for reply in replies:
        before = [sight for sight in rest if sight.time <= reply.time]
        if before:
            rest.remove(before[-1])
    return rest
