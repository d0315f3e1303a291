"""Virtual time advances: takes one batch of events after another."""

from __future__ import annotations

from dropzero.native.compilation import compiled
from dropzero.simulator.kernel import hosts, streams, switches
from dropzero.simulator.kernel.events import gather
from dropzero.simulator.kernel.state import NONE, State

OVER, LOOK, LATE, CAPTURE, FULL, LANES, UNSUPPORTED, DELIVERED = range(8)
"""Why the loop has stopped: all calls are over; it has handled the wanted number of events; no event is due before the
end; the batch must be captured; the memory is too small for the batch's packets; a host's lanes have failed; a program
cannot be simulated; messages have arrived."""


@compiled
def run(state: State, events: int, end: int, capture: bool, over: int) -> int:
    """Goes on until the calls of `over` hosts are over, or until another reason to stop. Can be called again after any.

    events: number of the event at which it stops. end: nanoseconds. capture: stop before each batch of packets.
    """
    clock = state.clock[0]
    while clock.over < over:
        if not clock.waits:
            if clock.delivered != NONE and (not clock.planned or state.events[0, 0] > clock.usable):
                return DELIVERED
            if clock.events >= events:
                return LOOK
            if not clock.planned or state.events[0, 0] > end:
                return LATE
            gather(state)
            if clock.node < len(state.switches) and switches.postpone(state, clock.node):
                clock.waits = False
                continue
            if capture and clock.arrived:
                return CAPTURE
        if not _room(state):
            return FULL
        clock.waits = False
        number = clock.node - len(state.switches)
        if number >= 0 and not state.hosts[number].lanes:
            streams.handle(state, number, clock.node)
        elif number >= 0:
            clock.outcome = hosts.handle(state, number, clock.node)
            if clock.outcome:
                return LANES
        elif clock.arrived and switches.handle(state, clock.node):
            return UNSUPPORTED
    return OVER


@compiled
def wanted(state: State) -> int:
    """The most packets that may come of the batch, at first."""
    clock = state.clock[0]
    if clock.node >= len(state.switches):
        # Each packet may be answered.
        return int(state.settings[0].burst + state.hosts[clock.node - len(state.switches)].waiting + clock.arrived)
    return int(clock.arrived * state.switches[clock.node].copies)


@compiled
def _room(state: State) -> bool:
    """Whether there is memory for all that may come of the batch."""
    clock, most = state.clock[0], wanted(state)
    return bool(
        # Each may be duplicated.
        clock.free >= 2 * most
        # Each may set a timer; the end of work and the next turn of a host are events, too.
        and clock.planned + 3 * most + 3 <= min(len(state.events), len(state.batch))
        # Each may be lost, reordered and duplicated.
        and clock.drawn + 3 * most <= len(state.luck)
        and (clock.node >= len(state.switches) or most <= len(state.leaving))
    )
