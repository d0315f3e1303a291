"""A batch of packets, each with its ingress or egress port."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Frames:
    """n packets in one flat buffer, in any order, with or without gaps.

    data:    (bytes,) uint8
    start:   (n,) int64, the offset of each packet's first byte in `data`
    length:  (n,) int32, bytes
    port:    (n,) int32
    arrival: (n,) int64, when each packet arrived, in microseconds of the switch's time; None: when it is processed
    """

    data: NDArray[np.uint8]
    start: NDArray[np.int64]
    length: NDArray[np.int32]
    port: NDArray[np.int32]
    arrival: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, packets: Iterable[tuple[int, bytes]]) -> Frames:
        """Makes a batch from (port, bytes) pairs."""
        pairs = list(packets)
        length = np.array([len(content) for _, content in pairs], dtype=np.int32)
        start = np.zeros(len(pairs), dtype=np.int64)
        np.cumsum(length[:-1], out=start[1:])
        data = np.frombuffer(b"".join(content for _, content in pairs), dtype=np.uint8)
        return cls(data, start, length, np.array([port for port, _ in pairs], dtype=np.int32))

    @classmethod
    def joined(cls, batches: Iterable[Frames]) -> Frames:
        """Concatenates batches, without their arrivals if there are several."""
        parts = [batch for batch in batches if len(batch)]
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return NOTHING
        base = np.cumsum([0, *(part.data.size for part in parts[:-1])])
        return cls(
            np.concatenate([part.data for part in parts]),
            np.concatenate([part.start + offset for part, offset in zip(parts, base, strict=True)]),
            np.concatenate([part.length for part in parts]),
            np.concatenate([part.port for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.length)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Yields (port, bytes) of each packet. This is slow."""
        for start, length, port in zip(self.start.tolist(), self.length.tolist(), self.port.tolist(), strict=True):
            yield port, self.data[start : start + length].tobytes()


NOTHING = Frames.of([])


def distinct(numbers: NDArray[np.integer[Any]]) -> list[int]:
    """The distinct numbers, in ascending order. For a few numbers, this takes a tenth of the time of numpy's unique(),
    whose first call also keeps the packets waiting for 10 ms, because it imports numpy.ma."""
    return sorted(set(numbers.tolist()))


def selected(frames: Frames, which: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Frames:
    """A selection of the packets, which are not copied."""
    return Frames(frames.data, frames.start[which], frames.length[which], frames.port[which])
