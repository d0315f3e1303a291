"""STF, the language of p4c's packet tests: input packets, expected packets, and control-plane commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


class StfError(ValueError):
    """A line is not STF; the message begins with its number."""


@dataclass(frozen=True)
class Packet:
    port: int
    content: bytes


@dataclass(frozen=True)
class Expect:
    """A packet that leaves by `port`. pattern: its hex digits, "*" for any; None for any packet. exact: no longer than
    the pattern."""

    port: int
    pattern: str | None = None
    exact: bool = False

    def matches(self, packet: bytes) -> bool:
        if self.pattern is None:
            return True
        digits = packet.hex().upper()
        if len(digits) < len(self.pattern) or (self.exact and len(digits) > len(self.pattern)):
            return False
        return all(want in ("*", digit) for want, digit in zip(self.pattern, digits, strict=False))

    def __str__(self) -> str:
        return f"{self.pattern or 'any packet'}{'$' if self.exact else ''}"


@dataclass(frozen=True)
class Add:
    """A table entry. keys: (name, value as written); priority: the higher wins; None if none is given."""

    table: str
    priority: int | None
    keys: tuple[tuple[str, str], ...]
    action: str
    arguments: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class SetDefault:
    table: str
    action: str
    arguments: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Command:
    """A command of simple_switch_CLI, as words."""

    words: tuple[str, ...]


Statement = Packet | Expect | Add | SetDefault | Command

COMMANDS = frozenset(
    {
        "counter_read",
        "counter_write",
        "mc_mgrp_create",
        "mc_node_associate",
        "mc_node_create",
        "meter_array_set_rates",
        "meter_get_rates",
        "meter_set_rates",
        "mirroring_add",
        "mirroring_add_mc",
        "mirroring_delete",
        "mirroring_get",
        "register_read",
        "register_reset",
        "register_write",
    }
)
CALL = re.compile(r"([\w.$\[\]]+)\s*\(([^)]*)\)\s*(?:=\s*\w+)?$")


def parse(text: str) -> list[Statement]:
    """Parse a test. Skips `wait`, which is not needed. Raises StfError."""
    return list(_statements(text))


def _statements(text: str) -> Iterator[Statement]:
    for number, line in enumerate(text.splitlines(), 1):
        keyword, _, rest = line.partition("#")[0].strip().partition(" ")
        try:
            match keyword.lower():
                case "" | "wait":
                    continue
                case "packet":
                    port, data = _split(rest)
                    yield Packet(int(port), bytes.fromhex(data))
                case "expect":
                    port, data = _split(rest)
                    digits = data.upper().removesuffix("$")
                    yield Expect(int(port), digits or None, data.endswith("$"))
                case "add":
                    yield _add(rest)
                case "setdefault":
                    table, _, call = rest.strip().partition(" ")
                    yield SetDefault(table, *_call(call))
                case command if command in COMMANDS:
                    yield Command((command, *rest.split()))
                case _:
                    raise ValueError(f"unknown statement {keyword!r}")
        except ValueError as error:
            raise StfError(f"line {number}: {error}") from None


def _split(rest: str) -> tuple[str, str]:
    """Return the port, and the digits without spaces."""
    port, *data = rest.split()
    return port, "".join(data)


def _add(rest: str) -> Add:
    table, _, rest = rest.strip().partition(" ")
    first, _, others = rest.strip().partition(" ")
    priority = int(first) if first.isdigit() else None
    body = others if priority is not None else rest
    call = re.search(r"[\w.$\[\]]+\s*\([^)]*\)[^)]*$", body)
    if call is None:
        raise ValueError("an entry calls an action")
    keys = []
    for word in re.sub(r"\s*:\s*", ":", body[: call.start()]).split():
        name, colon, value = word.partition(":")
        if not colon:
            raise ValueError(f"{word!r} is not a key")
        keys.append((name.strip('"'), value))
    return Add(table, priority, tuple(keys), *_call(call[0]))


def _call(text: str) -> tuple[str, tuple[tuple[str, int], ...]]:
    match = CALL.match(text.strip())
    if match is None:
        raise ValueError(f"{text!r} calls no action")
    pairs = [pair.partition(":") for pair in match[2].split(",") if pair.strip()]
    return match[1], tuple((name.strip(), int(value, 0)) for name, _, value in pairs)
