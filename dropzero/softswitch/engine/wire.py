"""When a wire of some rate has sent packets, for the switch's ports and for simulated links."""

from __future__ import annotations

from typing import Any

from dropzero.native.compilation import compiled

SECOND = 10**9
"""In nanoseconds."""


def after(free: int, rest: int, begin: int, length: Any, rate: int) -> tuple[Any, Any]:
    """The state of a wire after a packet.

    Args:
        free, rest: its state: it has sent all packets before at `free` nanoseconds plus `rest` / rate.
        begin: when the packet may leave, in nanoseconds.
        length: bytes; or an array, of the sums of the lengths of several packets up to each: then the result has the
            states after each.
        rate: bits per second; 0: no limit.
    """
    if begin > free:
        free, rest = begin, 0
    if not rate:
        return free, rest
    # In integers, so that no rounding error accumulates.
    work = 8 * SECOND * length + rest
    return free + work // rate, work % rate


after_compiled = compiled(after)
"""The same, for compiled functions."""
