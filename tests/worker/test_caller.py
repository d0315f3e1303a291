"""A worker's calls without a network: what its history decides."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from dropzero.membership.client import Place
from dropzero.membership.ending import Ending
from dropzero.protocol.lanes.call import Signature
from dropzero.protocol.lanes.errors import Disagreement
from dropzero.protocol.tensor.arrays import Target
from dropzero.worker.caller import Caller
from dropzero.worker.history import Finished

ONE = Signature.of("one", np.dtype(np.int32), 1)


def alone(takes: bool = True) -> Caller:
    """A worker whose calls are over before it makes them. takes: the controller lets it take a result."""
    membership = SimpleNamespace(recorder=None, take=lambda *_, **__: takes)
    place = Place(1, 1, 0, epoch=1, lanes=1, switch_ip="", switch_port=0, members=(0,))
    return Caller(place, cast(Any, membership), cast(Any, None), 1.0, None)


def over(number: int, name: str = "one") -> Finished:
    """The outcome of a call of one element, which is its number."""
    call = Signature.of(name, np.dtype(np.int32), 1).call(number)
    return Finished(call.digest, 1, (0,), Target.around(np.array([number], np.int32)))


def test_a_worker_gets_the_result_of_a_call_made_without_it_only_if_it_is_its_own_call() -> None:
    caller = alone()
    for number, name in enumerate(("one", "another")):
        caller._known.add(over(number, name))
    caller.begin()
    assert caller.run(ONE, np.zeros(1, np.int32)).words.tolist() == [0]
    caller.begin()
    with pytest.raises(Disagreement, match="while this worker was away, the others made a different call"):
        caller.run(ONE, np.zeros(1, np.int32))


def test_a_collective_is_settled_when_all_its_calls_have_results() -> None:
    caller = alone()
    caller.begin()
    caller.remaining = 2
    for number in range(2):
        assert not caller.settled
        caller._known.add(over(number))
    assert caller.settled


def test_a_collective_without_some_result_is_not_settled() -> None:
    ended, on_hold = alone(), alone(takes=False)
    for caller in (ended, on_hold):
        caller.begin()
    ended._known.end_by(Ending(0, 0, "on purpose"))
    assert not ended.settled
    on_hold._known.add(over(0))
    assert not on_hold.settled


def test_a_result_that_was_taken_is_not_taken_again_after_an_error() -> None:
    caller = alone()
    caller.begin()
    caller._running, caller._target = ONE.call(0), Target.new(1)
    caller._known.add(over(0))
    assert caller.settled
    assert caller._known.end == 1


def test_a_settled_collective_that_runs_again_gets_the_same_results() -> None:
    caller = alone()
    for number in range(4):
        caller._known.add(over(number))

    def collective() -> list[int]:
        caller.remaining = 2
        return [int(caller.run(ONE, np.zeros(1, np.int32)).words[0]) for _ in range(2)]

    caller.begin()
    assert collective() == [0, 1]
    assert caller.replay(collective) == [0, 1]
    caller.begin()
    assert collective() == [2, 3]


def test_a_small_result_that_is_taken_after_an_error_does_not_change_with_the_next_call() -> None:
    caller = alone()
    caller.begin()
    target = Target.around(np.array([7], np.int32))
    caller._running, caller._target = ONE.call(0), target
    assert caller.settled
    target.patterns[:] = 8
    assert caller._known[0].words.tolist() == [7]


def test_a_call_that_an_error_ended_before_its_first_packet_has_no_result() -> None:
    caller = alone()
    caller.begin()
    caller._running = ONE.call(0)
    caller._hold(Target.new(1))
    assert not caller.settled
    assert caller._known.end == 0
