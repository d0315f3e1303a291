"""Random faults for a protocol: links that lose, duplicate and reorder, hosts that stop or are killed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from dropzero.ina.conditions import Conditions, Stop
from dropzero.ina.outcome import Outcome
from dropzero.ina.protocol import Protocol, ProtocolError
from dropzero.softswitch.engine.wire import SECOND
from dropzero.streams import stream

MOST = {"loss": 0.05, "duplicate": 0.05, "reorder": 0.1}
"""The largest probabilities."""
STOPS = 3
"""The most hosts that stop in a round."""
LONGEST = 2.0
"""The longest that a host stops, in runs without faults."""


def draw(protocol: Protocol, calm: Conditions, lasts: int, number: int, only_loss: bool = False) -> Conditions:
    """Draws the faults of a round. lasts: nanoseconds of a run without faults. number: of the round. only_loss: links
    neither duplicate nor reorder. Only a protocol whose sums may leave out workers has one killed."""
    luck = stream(calm.seed, "chaos", number)
    loss, duplicate, reorder = (round(most * luck.random(), 4) * (luck.random() < 0.5) for most in MOST.values())
    if only_loss:
        duplicate = reorder = 0.0
    if not calm.quality.delay:
        # Packets overtake others by skipping it.
        reorder = 0.0
    stops = []
    for host in luck.permutation(protocol.workers + protocol.servers)[: luck.integers(STOPS + 1)].tolist():
        begin = int(lasts * luck.random())
        stops.append(Stop(host, begin, begin + int(LONGEST * lasts * luck.random())))
    if protocol.partial and protocol.workers > 1 and luck.random() < 0.5:
        victim = int(luck.integers(protocol.workers))
        stops = [stop for stop in stops if stop.host != victim]
        stops.append(Stop(victim, int(lasts * luck.random()), None))
    late = int(lasts * luck.random()) if luck.random() < 0.25 else 0
    quality = replace(calm.quality, loss=loss, duplicate=duplicate, reorder=reorder)
    return replace(calm, quality=quality, seed=calm.seed + number, late=late, stops=tuple(stops))


def _kinds(drawn: Conditions) -> Iterator[str]:
    yield from (kind for kind in MOST if getattr(drawn.quality, kind))
    if drawn.late:
        yield "late worker"
    for stop in drawn.stops:
        yield "killed worker" if stop.end is None else "stopped host"


@dataclass(frozen=True)
class Survived:
    """What the rounds have shown: how often each fault was injected, the packets checked, and the longest round."""

    rounds: int
    faults: dict[str, int]
    packets: int
    seconds: float


def survive(
    protocol: Protocol, calm: Conditions, rounds: int, run: Callable[[Conditions], Outcome], only_loss: bool = False
) -> Survived:
    """Runs a protocol without faults, and then rounds with them, as drawn by draw(). Raises ProtocolError, which names
    the round and its faults."""
    outcome = run(calm)
    faults, packets, longest = Counter[str](), outcome.packets, outcome.seconds
    lasts = int(outcome.seconds * SECOND)
    for number in range(1, rounds + 1):
        drawn = draw(protocol, calm, lasts, number, only_loss)
        kinds = list(_kinds(drawn))
        try:
            outcome = run(drawn)
        except ProtocolError as error:
            raise ProtocolError(f"round {number} ({', '.join(kinds) or 'no faults'}): {error}") from error
        faults.update(kinds)
        packets += outcome.packets
        longest = max(longest, outcome.seconds)
    return Survived(rounds, dict(sorted(faults.items())), packets, longest)
