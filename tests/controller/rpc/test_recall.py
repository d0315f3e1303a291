"""Workers' latest events, as operators get them."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dropzero.membership.client import Membership
from dropzero.membership.event import EVENTS, LONGEST, Event
from dropzero.membership.operator_client import Operator, OperatorError
from tests.support.controller import running


class Remembered:
    """A recorder that always returns the same events."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events

    def note(self, call: int, what: str, /, **fields: object) -> None: ...

    def lines(self, last: int) -> list[Event]:
        return self.events


def test_several_operators_at_once_get_all_workers_events_ordered_by_time(tmp_path: Path) -> None:
    with (
        running(f"unix:{tmp_path}/c.sock") as controller,
        Membership(controller.address) as first,
        Membership(controller.address) as second,
        Operator(controller.address) as operator,
        ThreadPoolExecutor(4) as threads,
    ):
        controller.joined([first, second])
        first.recorder = Remembered([Event(1.0, 0, "a"), Event(3.0, 1, "c")])
        second.recorder = Remembered([Event(2.0, 0, "b"), Event(4.0, 1, "d")])
        for found in [threads.submit(operator.trace, 1, 3) for _ in range(4)]:
            events, silent = found.result(600)
            assert [(rank, each.what) for rank, each in events] == [(1, "b"), (0, "c"), (1, "d")]
            assert not silent
        with pytest.raises(OperatorError, match="job 2 is not running"):
            operator.trace(2, 3)


def test_workers_texts_are_bounded_and_contain_no_control_characters(tmp_path: Path) -> None:
    with (
        running(f"unix:{tmp_path}/c.sock") as controller,
        Membership(controller.address) as member,
        Operator(controller.address) as operator,
    ):
        controller.joined([member])
        member.recorder = Remembered([Event(float(at), 0, "x" * 2 * LONGEST) for at in range(2 * EVENTS)])
        events, _ = operator.trace(1, 3 * EVENTS)
        assert [each.time for _, each in events] == list(range(EVENTS, 2 * EVENTS))
        assert {len(each.what) for _, each in events} == {LONGEST}
        member.recorder = Remembered([Event(at, 0, "\x1b[2J\nend") for at in (math.nan, math.inf, -1.0, 1e300, 5.0)])
        assert operator.trace(1, 5)[0] == [(0, Event(5.0, 0, r"\x1b[2J\nend"))]
