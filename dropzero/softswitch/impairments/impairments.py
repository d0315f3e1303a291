"""The impaired ports of a switch, in both directions."""

from __future__ import annotations

import heapq
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import count

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.engine.frames import Frames, distinct, selected
from dropzero.softswitch.engine.queues import Queues
from dropzero.softswitch.impairments.link import LIMIT, Impairment, Link, compact


class Direction(Enum):
    IN = "in"
    OUT = "out"


class Impairments:
    """The impaired directions of ports, and the packets that are on their links.

    A port's queues apply the rate of packets that leave; this class applies all else. Times are nanoseconds and never
    go back. Use it in one thread only.
    """

    def __init__(self, specifications: Iterable[str] = (), seed: int | None = None) -> None:
        """specifications: "PORT:RULES", "PORT/in:RULES" or "PORT/out:RULES". PORT is a number, or * for all ports that
        no other specification names; Impairment.parse() reads the rules. seed: None: a random one.

        Raises:
            ValueError: a specification is malformed, or two are for the same port and direction.
        """
        self._wanted: dict[tuple[int | None, Direction], Impairment] = {}
        for text in specifications:
            port, direction, impairment = _read(text)
            if (port, direction) in self._wanted:
                raise ValueError(f"--impair {text}: there is another for the same port and direction")
            self._wanted[port, direction] = impairment
        self._seed = secrets.randbits(64) if seed is None else abs(seed)
        self._links: dict[tuple[int, Direction], Link | None] = {}
        self._timelines = {direction: Timeline() for direction in Direction}

    def __iter__(self) -> Iterator[tuple[int, Direction, Link]]:
        """Yields the links that have carried packets."""
        for (port, direction), link in self._links.items():
            if link is not None:
                yield port, direction, link

    def slow(self, queues: Queues) -> None:
        """Sets the rates and depths of the queues of ports whose rate is limited on the way out."""
        # The setting for all ports comes first, because it would overwrite others.
        for (port, direction), impairment in sorted(self._wanted.items(), key=lambda wanted: wanted[0][0] is not None):
            if direction is Direction.OUT and impairment.rate:
                queues.set_bit_rate(impairment.rate, port)
                queues.set_depth(impairment.limit, port)

    @property
    def wanted(self) -> bool:
        """Whether any port is impaired."""
        return bool(self._wanted)

    @property
    def next(self) -> int | None:
        """When the next packet arrives; None if none is on a link."""
        return min((due for line in self._timelines.values() if (due := line.next) is not None), default=None)

    def carry(self, direction: Direction, frames: Frames, now: int) -> Frames:
        """Puts the packets of impaired ports on their links; returns the others."""
        ports = frames.port
        if not len(ports) or not self._wanted:
            return frames
        links = {port: link for port in distinct(ports) if (link := self._link(port, direction)) is not None}
        if not links:
            return frames
        if direction is Direction.IN:
            # The ports soon reuse the memory of received packets.
            frames = compact(frames)
        rest: NDArray[np.bool_] = np.ones(len(ports), dtype=np.bool_)
        for port, link in links.items():
            here = ports == port
            rest &= ~here
            self._timelines[direction].hold(*link.carry(selected(frames, here), now))
        return selected(frames, rest)

    def follow(self, frames: Frames, sent: NDArray[np.int64]) -> None:
        """Puts packets that have left a queue on their links. sent: when each has been sent, shape (n,)."""
        rest: NDArray[np.bool_] = np.ones(len(frames), dtype=np.bool_)
        for port in distinct(frames.port):
            if link := self._link(port, Direction.OUT):
                here = frames.port == port
                rest &= ~here
                self._timelines[Direction.OUT].hold(*link.carry(selected(frames, here), sent[here]))
        self._timelines[Direction.OUT].hold(selected(frames, rest), sent[rest])

    def release(self, direction: Direction, now: int) -> Frames:
        """Removes and returns the packets that have arrived by now."""
        return self._timelines[direction].release(now)

    def _link(self, port: int, direction: Direction) -> Link | None:
        key = port, direction
        if key not in self._links:
            impairment = self._wanted.get(key) or self._wanted.get((None, direction))
            # A seed for each link, so that links do not depend on each other's order.
            numbers = [self._seed, port, list(Direction).index(direction)]
            if impairment and direction is Direction.OUT:
                impairment = replace(impairment, rate=0, limit=LIMIT)
            self._links[key] = Link(impairment, numbers) if impairment and impairment != Impairment() else None
        return self._links[key]


def _read(text: str) -> tuple[int | None, Direction, Impairment]:
    match = re.fullmatch(r"(\*|\d+)(?:/(in|out))?:(.+)", text, re.ASCII)
    if match is None or (match[1] != "*" and int(match[1]) > 65535):
        raise ValueError(f"--impair takes PORT[/in|/out]:rate=...,delay=...,loss=...; PORT may be *; not {text!r}")
    try:
        impairment = Impairment.parse(match[3])
    except ValueError as error:
        raise ValueError(f"--impair {text}: {error}") from None
    return None if match[1] == "*" else int(match[1]), Direction(match[2] or "out"), impairment


@dataclass(order=True)
class _Held:
    """A batch, sorted by the times when the packets are due. Those before position `at` have been released."""

    due: int
    number: int
    times: NDArray[np.int64] = field(compare=False)
    frames: Frames = field(compare=False)
    at: int = field(default=0, compare=False)


class Timeline:
    """Holds packets until they are due."""

    def __init__(self) -> None:
        self._held: list[_Held] = []
        self._numbers = count()

    def hold(self, frames: Frames, due: NDArray[np.int64]) -> None:
        """Adds packets. due: the time of each, shape (n,), int64. Does not copy the packets."""
        if len(frames):
            order = np.argsort(due, kind="stable")
            times = due[order]
            held = _Held(int(times[0]), next(self._numbers), times, selected(frames, order))
            heapq.heappush(self._held, held)

    @property
    def next(self) -> int | None:
        """When the next packet is due; None if there is none."""
        return self._held[0].due if self._held else None

    def release(self, now: int) -> Frames:
        """Removes and returns the packets that are due by now, in the order of their times."""
        parts: list[Frames] = []
        times: list[NDArray[np.int64]] = []
        while self._held and self._held[0].due <= now:
            held = self._held[0]
            end = int(np.searchsorted(held.times, now, side="right"))
            parts.append(selected(held.frames, slice(held.at, end)))
            times.append(held.times[held.at : end])
            if end < len(held.times):
                held.at, held.due = end, int(held.times[end])
                heapq.heapreplace(self._held, held)
            else:
                heapq.heappop(self._held)
        if len(parts) <= 1:
            return Frames.joined(parts)
        order = np.argsort(np.concatenate(times), kind="stable")
        return selected(Frames.joined(compact(part) for part in parts), order)
