"""An impaired link: a queue with a rate, then a wire that delays, loses, duplicates, reorders and corrupts packets.

It has no sockets and no clock. Times are nanoseconds of the caller's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.engine.frames import Frames, selected
from dropzero.softswitch.engine.wire import after
from dropzero.units import parse

RATE_UNITS = {"": 1, "bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
TIME_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
LIMIT = 64
"""The default number of packets that may wait for the rate, as in BMv2."""


@dataclass(frozen=True)
class Impairment:
    """The impairments of one direction of a port.

    rate:      bits per second; 0: no limit. For packets that leave, the rate of the port's queues
    limit:     the most packets that wait for the rate; more are dropped. On the way in, this includes the packet that
               is being sent
    delay:     nanoseconds on the wire
    jitter:    the most nanoseconds by which the delay varies, in either direction
    loss, duplicate, corrupt: the probability that a packet is lost, arrives twice, or has one bit flipped
    reorder:   the probability that a packet skips the delay, and so overtakes others; packets stay in order otherwise
    """

    rate: int = 0
    limit: int = LIMIT
    delay: int = 0
    jitter: int = 0
    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    corrupt: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Impairment:
        """Reads text such as "rate=100mbit,delay=5ms,loss=1%". Raises ValueError."""
        given: dict[str, Any] = {}
        for part in text.split(","):
            name, equals, value = part.partition("=")
            if not equals or name not in READERS:
                raise ValueError(f"{part!r} is none of {', '.join(f'{known}=' for known in READERS)}")
            try:
                given[name] = READERS[name](value)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        made = cls(**given)
        if made.jitter > made.delay:
            raise ValueError("the jitter is more than the delay")
        if made.reorder and not made.delay:
            raise ValueError("reorder needs a delay to skip")
        return made


@dataclass
class Counts:
    """Counts of packets. offered: all; dropped: by the full queue; lost: on the wire."""

    offered: int = 0
    dropped: int = 0
    lost: int = 0
    duplicated: int = 0
    reordered: int = 0
    corrupted: int = 0

    def __str__(self) -> str:
        return ", ".join(f"{value} {name}" for name, value in vars(self).items())


class Link:
    """One impaired direction of a port. Its outcomes depend on the seed, and on the packets and their times, but not on
    how the packets are batched."""

    def __init__(self, impairment: Impairment, seed: int | Sequence[int] | None = None) -> None:
        self.impairment = impairment
        self.counts = Counts()
        # A sequence of random numbers for each impairment, so that none depends on how many the others draw.
        seeds = np.random.SeedSequence(seed).spawn(6)
        self._loss, self._duplicate, self._reorder, self._corrupt, self._bit, self._jitter = (
            np.random.Generator(np.random.PCG64(each)) for each in seeds
        )
        self._sent: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        """When each packet that is in the queue, or was recently, has been sent."""
        self._free, self._rest = 0, 0
        """The transmitter has sent all packets at `_free` nanoseconds plus `_rest` / rate."""
        self._arrived = 0
        """When the last packet in order arrives."""

    def depth(self, now: int) -> int:
        """The packets in the queue, including the one that is being sent."""
        return len(self._sent) - int(np.searchsorted(self._sent, now, side="right"))

    def carry(self, frames: Frames, now: int | NDArray[np.int64]) -> tuple[Frames, NDArray[np.int64]]:
        """Puts packets on the link.

        now: when they come; or, without a rate, when each of them comes, shape (n,). Must not go back.

        Returns the packets that arrive, in the order they were sent, and when each arrives, shape (m,), int64. Does not
        copy the packets unless it corrupts one.
        """
        self.counts.offered += len(frames)
        kept, sent = self._transmit(frames.length, now)
        frames = selected(frames, kept)
        count = len(frames)
        lost = self._chosen(self._loss, self.impairment.loss, count)
        self.counts.lost += int(lost.sum())
        arrival = self._travel(sent)
        copies = 1 + self._chosen(self._duplicate, self.impairment.duplicate, count)
        copies[lost] = 0
        self.counts.duplicated += int((copies == 2).sum())
        flipped = self._chosen(self._corrupt, self.impairment.corrupt, count) & ~lost
        if flipped.any():
            frames = self._corrupted(frames, np.flatnonzero(flipped))
        order = np.repeat(np.arange(count), copies)
        return selected(frames, order), arrival[order]

    def _transmit(
        self, length: NDArray[np.int32], now: int | NDArray[np.int64]
    ) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Returns which packets find room in the queue, and when each has been sent."""
        rate = self.impairment.rate
        count = len(length)
        if not rate:
            return np.arange(count), np.full(count, now, dtype=np.int64)
        assert isinstance(now, int)
        self._sent = self._sent[np.searchsorted(self._sent, now, side="right") :]
        if not len(self._sent):
            self._free, self._rest = now, 0
        room = min(count, max(0, self.impairment.limit - len(self._sent)))
        self.counts.dropped += count - room
        sent, rests = after(self._free, self._rest, self._free, np.cumsum(length[:room], dtype=np.int64), rate)
        if room:
            self._free, self._rest = int(sent[-1]), int(rests[-1])
        self._sent = np.concatenate([self._sent, sent])
        return np.arange(room), sent

    def _travel(self, sent: NDArray[np.int64]) -> NDArray[np.int64]:
        """When packets that were sent at these times arrive."""
        impairment = self.impairment
        arrival = sent + impairment.delay
        if impairment.jitter:
            width = 2 * impairment.jitter + 1
            arrival += (self._jitter.random(len(sent)) * width).astype(np.int64) - impairment.jitter
        ahead = self._chosen(self._reorder, impairment.reorder, len(sent))
        self.counts.reordered += int(ahead.sum())
        ordered = arrival[~ahead]
        if len(ordered):
            ordered = np.maximum(np.maximum.accumulate(ordered), self._arrived)
            self._arrived = int(ordered[-1])
        arrival[~ahead] = ordered
        arrival[ahead] = sent[ahead]
        return arrival

    def _corrupted(self, frames: Frames, which: NDArray[np.intp]) -> Frames:
        """A copy of the packets, with one bit flipped in each of `which`."""
        copy = compact(frames)
        data = copy.data.copy()
        bit = (self._bit.random(len(which)) * 8 * copy.length[which]).astype(np.int64)
        np.bitwise_xor.at(data, copy.start[which] + bit // 8, (1 << bit % 8).astype(np.uint8))
        self.counts.corrupted += len(which)
        return Frames(data, copy.start, copy.length, copy.port)

    @staticmethod
    def _chosen(random: np.random.Generator, probability: float, count: int) -> NDArray[np.bool_]:
        if not probability:
            return np.zeros(count, dtype=np.bool_)
        return random.random(count) < probability


def compact(frames: Frames) -> Frames:
    """A copy of the packets, without gaps."""
    ends = np.cumsum(frames.length, dtype=np.int64)
    pieces = zip(frames.start.tolist(), frames.length.tolist(), strict=True)
    data = [np.zeros(0, dtype=np.uint8), *(frames.data[start : start + length] for start, length in pieces)]
    return Frames(np.concatenate(data), ends - frames.length, frames.length.copy(), frames.port.copy())


def rate(text: str) -> int:
    """Reads a rate such as "100mbit", in bits per second. Raises ValueError."""
    bits = parse(text.lower(), RATE_UNITS)
    if bits < 1:
        raise ValueError(f"{text!r} is less than one bit per second")
    return bits


def _time(text: str) -> int:
    return parse(text.lower(), TIME_UNITS)


def _probability(text: str) -> float:
    number = text.removesuffix("%")
    try:
        value = float(number) / (100 if number != text else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ValueError(f"{text!r} is not a probability such as 0.01 or 1%")
    return value


def _limit(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ValueError(f"{text!r} is not a number of packets, at least 1")
    return int(text)


READERS: dict[str, Callable[[str], int | float]] = {
    "rate": rate,
    "limit": _limit,
    "delay": _time,
    "jitter": _time,
    "loss": _probability,
    "duplicate": _probability,
    "reorder": _probability,
    "corrupt": _probability,
}
