"""Translate STF's match keys into those of the embedded switch's tables."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dropzero.softswitch.program.model import Exact, Key, Lpm, Match, Range, Ternary

BASES = {"0x": 16, "0b": 2, "0o": 8}


def entry_match(keys: tuple[Key, ...], given: Iterable[tuple[str, str]]) -> tuple[Match, ...]:
    """Return one element for each of a table's keys; missing ones match anything. Raises ValueError."""
    values: dict[str, str] = {}
    for name, value in given:
        values[key_named(keys, name).name] = value
    return tuple(key_match(key, values.get(key.name)) for key in keys)


def key_named(keys: tuple[Key, ...], name: str) -> Key:
    """Return the key that a test calls `name`, in full or by its last parts; "$3" means "[3]". Raises ValueError."""
    name = re.sub(r"\$(\d+)", r"[\1]", name)
    plain = {key.name.replace(".$valid$", ".valid").replace(".isValid()", ".valid"): key for key in keys}
    wanted = (name, f"{name}.valid", name.replace(".$valid$", ".valid"))
    for candidate in wanted:
        if candidate in plain:
            return plain[candidate]
    for full, key in plain.items():
        if any(full.endswith(f".{candidate}") for candidate in wanted):
            return key
    raise ValueError(f"there is no key {name!r} among {', '.join(plain)}")


def key_match(key: Key, text: str | None) -> Match:
    """Parse a key: 10, 0x0a, 0x**01, 0b1*, 0x0a00/8, 1..5; None: any value, 0 if exact. Raises ValueError."""
    full = (1 << key.width) - 1
    match key.kind:
        case "exact":
            return Exact(int(text or "0", 0))
        case "ternary":
            return Ternary(0, 0) if text is None else _ternary(text, full)
        case "lpm":
            if text is None:
                return Lpm(0, 0)
            value, slash, length = text.partition("/")
            if slash:
                return Lpm(int(value, 0), int(length))
            ternary = _ternary(text, full)
            return Lpm(ternary.value, (ternary.mask & full).bit_count())
        case _:
            low, dots, high = (text or f"0..{full}").replace("->", "..").partition("..")
            return Range(int(low, 0), int(high if dots else low, 0))


def _ternary(text: str, full: int) -> Ternary:
    if "&&&" in text:
        written, _, bits = text.partition("&&&")
        return Ternary(int(written, 0) & int(bits, 0), int(bits, 0))
    base = BASES.get(text[:2].lower(), 10)
    if base == 10:
        return Ternary(int(text), full)
    digits = text[2:]
    any_digit = str(base - 1) if base < 16 else "f"
    # Like p4c's own driver: only the written bits count, however wide the key is.
    mask = int("".join("0" if digit == "*" else any_digit for digit in digits), base)
    return Ternary(int(digits.replace("*", "0"), base), mask & full)
