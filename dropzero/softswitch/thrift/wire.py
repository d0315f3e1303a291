"""Thrift's binary protocol. It contains all types, so messages are read without the services' definitions."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dropzero.json_schema import Object

VERSION, VERSION_MASK = 0x80010000, 0xFFFF0000
CALL, REPLY, EXCEPTION = 1, 2, 3
STOP, BOOL, BYTE, DOUBLE, I16, I32, I64, STRING, STRUCT, MAP, SET, LIST = 0, 2, 3, 4, 6, 8, 10, 11, 12, 13, 14, 15
FORMS = {BOOL: ">?", BYTE: ">b", DOUBLE: ">d", I16: ">h", I32: ">i", I64: ">q"}
MAX_LENGTH = 1 << 24
"""The most bytes of a string, and items of a list."""
MAX_DEPTH = 16


class Readable(Protocol):
    def read(self, count: int, /) -> bytes: ...


class Malformed(Exception):
    """Raised for bytes that are not a message of this protocol."""


@dataclass(frozen=True)
class Message:
    """A message of a function call.

    Attributes:
        kind: CALL, REPLY or EXCEPTION.
        name: the function's.
        sequence: the call's number.
        fields: arguments or results by field number. Strings are bytes; structs are dictionaries by field number.
    """

    kind: int
    name: bytes
    sequence: int
    fields: dict[int, Any]


@dataclass(frozen=True)
class Value:
    """An encoded value with its type."""

    kind: int
    content: bytes


def boolean(value: bool) -> Value:
    return Value(BOOL, struct.pack(">?", value))


def double(value: float) -> Value:
    return Value(DOUBLE, struct.pack(">d", value))


def i32(value: int) -> Value:
    """Raises OverflowError for a larger value."""
    return Value(I32, value.to_bytes(4, "big", signed=True))


def i64(value: int) -> Value:
    """Encodes a value's lowest 64 bits, because BMv2 truncates wider values."""
    return Value(I64, struct.pack(">Q", value & (1 << 64) - 1))


def string(value: str | bytes) -> Value:
    content = value.encode() if isinstance(value, str) else value
    return Value(STRING, struct.pack(">i", len(content)) + content)


def record(fields: Mapping[int, Value]) -> Value:
    """Encodes a struct, given its fields by number."""
    parts = [struct.pack(">bh", value.kind, number) + value.content for number, value in fields.items()]
    return Value(STRUCT, b"".join(parts) + b"\0")


def sequence(kind: int, values: Sequence[Value]) -> Value:
    """Encodes a list of values of type `kind`."""
    return Value(LIST, struct.pack(">bi", kind, len(values)) + b"".join(value.content for value in values))


def mapping(values: Mapping[str, str]) -> Value:
    """Encodes a map of strings to strings."""
    parts = [string(text).content for pair in values.items() for text in pair]
    return Value(MAP, struct.pack(">bbi", STRING, STRING, len(values)) + b"".join(parts))


def message(kind: int, name: bytes, number: int, fields: Mapping[int, Value]) -> bytes:
    head = struct.pack(f">Ii{len(name)}si", VERSION | kind, len(name), name, number)
    return head + record(fields).content


class _Bounded:
    """A stream of which at most `left` bytes may be read."""

    def __init__(self, stream: Readable, left: int) -> None:
        self._stream = stream
        self._left = left

    def read(self, count: int, /) -> bytes:
        self._left -= count
        if self._left < 0:
            raise Malformed
        return self._stream.read(count)


def read_message(stream: Readable, max_values: int = MAX_LENGTH, max_bytes: int | None = None) -> Message:
    """Reads a message.

    Args:
        max_values: the most values that the message may have.
        max_bytes: the most bytes; None for no limit.

    Raises:
        Malformed: the bytes are not a message, exceed a limit, or end early.
    """
    if max_bytes is not None:
        stream = _Bounded(stream, max_bytes)
    version = _number(stream, ">I")
    if version & VERSION_MASK != VERSION:
        raise Malformed
    name = _bytes(stream)
    number = _number(stream, ">i")
    return Message(version & 0xFF, name, number, _read(stream, STRUCT, 0, iter(range(max_values))))


def _read(stream: Readable, kind: int, depth: int, left: Iterator[int]) -> Any:
    """left: an item for each value that may be read."""
    if depth > MAX_DEPTH or next(left, None) is None:
        raise Malformed
    if kind in FORMS:
        return _number(stream, FORMS[kind])
    if kind == STRING:
        return _bytes(stream)
    if kind == STRUCT:
        fields = Object()
        while (field := _number(stream, ">B")) != STOP:
            number = _number(stream, ">h")
            fields[number] = _read(stream, field, depth + 1, left)
        return fields
    if kind in (LIST, SET):
        each = _number(stream, ">B")
        return [_read(stream, each, depth + 1, left) for _ in range(_length(stream))]
    if kind == MAP:
        kinds = _number(stream, ">B"), _number(stream, ">B")
        return [tuple(_read(stream, each, depth + 1, left) for each in kinds) for _ in range(_length(stream))]
    raise Malformed


def _bytes(stream: Readable) -> bytes:
    return _exactly(stream, _length(stream))


def _length(stream: Readable) -> int:
    length = _number(stream, ">i")
    if not 0 <= length <= MAX_LENGTH:
        raise Malformed
    return int(length)


def _number(stream: Readable, form: str) -> Any:
    (number,) = struct.unpack(form, _exactly(stream, struct.calcsize(form)))
    return number


def _exactly(stream: Readable, count: int) -> bytes:
    content = stream.read(count)
    if len(content) < count:
        raise Malformed
    return content
