"""The queues of links."""

from __future__ import annotations

from operator import itemgetter

from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.simulator.kernel.links import Quality, enter, send
from dropzero.simulator.kernel.state import NEVER, NONE
from dropzero.simulator.network import Network
from dropzero.simulator.tree import Shape
from dropzero.softswitch.engine.queues import Queues
from tests.support.plain_queues import enter as put
from tests.support.plain_queues import served

DEPTH = 3
PORTS = 2


@settings(max_examples=200, deadline=None)
@given(
    rate=st.sampled_from([10**9, 333_333_331, 10**12]),
    batches=st.lists(
        st.tuples(st.integers(1, 3000), st.lists(st.tuples(st.integers(0, PORTS - 1), st.integers(60, 300)))),
        max_size=20,
    ),
)
def test_a_link_queues_as_the_switch_does(rate: int, batches: list[tuple[int, list[tuple[int, int]]]]) -> None:
    """batches: time since the one before, and (port, length) of each packet."""
    state = Network(Shape({"switch": None}, ["switch"] * PORTS), Quality(rate), depth=DEPTH).state
    queues = Queues()
    queues.set_depth(DEPTH)
    queues.set_bit_rate(rate)
    time = 0
    for later, packets in batches:
        time += later
        state.clock["batches"] += 1
        entered: list[tuple[int, int, int]] = []
        for port, length in packets:
            before = enter(state, port, time, length)
            room = put(queues, port, 0, length, time, expected=length, written=length)
            assert room == (None if before == NONE else before)
            if before != NONE:
                entered.append((int(state.links["begins"][port]), port, length))
        left: list[tuple[int, int, int]] = []
        for begins, end, port, length, _ in served(queues, NEVER):
            left.append((begins, port, length))
            assert end == send(state, port, begins, length)
        # Ports may take turns in other orders within a nanosecond.
        assert sorted(left, key=itemgetter(1)) == sorted(entered, key=itemgetter(1))
    for port, counts in queues:
        assert (counts.deepest, counts.dropped) == tuple(state.links[["deepest", "dropped"]][port])
