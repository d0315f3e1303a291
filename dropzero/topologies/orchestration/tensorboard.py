"""Logs for TensorBoard: https://github.com/tensorflow/tensorboard/blob/master/tensorboard/compat/proto/event.proto.

A file is a series of records. Each has a length, the length's checksum, an Event, and the Event's checksum.
"""

from __future__ import annotations

import math
import struct
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from dropzero.topologies.orchestration.metrics import Metrics, Standing

VERSION = "brain.Event:2"
_WALL_TIME, _STEP, _FILE_VERSION, _SUMMARY = 1, 2, 3, 5
"""Fields of an Event."""
_VALUE = 1
"""The field of a Summary."""
_TAG, _SIMPLE_VALUE = 1, 2
"""Fields of a Value."""
_VARINT, _DOUBLE, _BYTES, _FLOAT = 0, 1, 2, 5
"""Protobuf's wire types."""


class Logs:
    """Appends a job's standings to a file of events. Leaves out numbers that are not finite."""

    def __init__(self, folder: Path) -> None:
        """Creates a file in `folder`. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self._file = (folder / f"events.out.tfevents.{time.time():.0f}.dropzero").open("wb", buffering=0)
        self._steps = 0
        self._write(_field(_FILE_VERSION, VERSION.encode()))

    def follow(self, metrics: Metrics) -> None:
        """Appends the steps since the last call. Raises OSError."""
        for step in range(self._steps + 1, metrics.steps + 1):
            self._add(metrics.standing(step))
        self._steps = max(self._steps, metrics.steps)

    def _add(self, standing: Standing) -> None:
        density = bytes.fromhex(standing.densities)
        values = {
            "minibatch loss": standing.loss,
            "accuracy": standing.accuracy,
            "bytes/sent": standing.sent,
            "bytes/dense": standing.dense,
            "bytes/share of dense": standing.sent / standing.dense,
            "retransmissions": standing.retransmissions,
            "blocks sent": sum(density) / (255 * len(density)) if density else None,
        }
        self._write(_number(_STEP, standing.step) + _field(_SUMMARY, _summary(values)))

    def _write(self, event: bytes) -> None:
        event = _tag(_WALL_TIME, _DOUBLE) + struct.pack("<d", time.time()) + event
        length = struct.pack("<Q", len(event))
        self._file.write(length + _checksum(length) + event + _checksum(event))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


def _summary(values: Mapping[str, float | None]) -> bytes:
    known = {tag: value for tag, value in values.items() if value is not None and math.isfinite(value)}
    return b"".join(
        _field(_VALUE, _field(_TAG, tag.encode()) + _tag(_SIMPLE_VALUE, _FLOAT) + struct.pack("<f", value))
        for tag, value in known.items()
    )


def _tag(field: int, kind: int) -> bytes:
    return bytes([field << 3 | kind])


def _number(field: int, value: int) -> bytes:
    return _tag(field, _VARINT) + _varint(value)


def _field(field: int, content: bytes) -> bytes:
    return _tag(field, _BYTES) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def _table() -> list[int]:
    """The table of CRC-32C (Castagnoli) for one byte at a time."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _table()


def _checksum(content: bytes) -> bytes:
    """CRC-32C, masked as in TFRecord."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)
