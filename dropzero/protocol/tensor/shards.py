"""A tensor split over several switches, as OmniReduce shards its aggregators [OmniReduce]."""

from __future__ import annotations

from dropzero.protocol.wire import PACKET_ELEMENTS


def shards(length: int, count: int, unit: int = PACKET_ELEMENTS) -> list[slice]:
    """Cuts `length` elements into `count` neighbouring shards, all but the last of whole units of as many elements (by
    default, packets) and as equal as these allow; the last ones may be empty."""
    each = -(-length // (count * unit)) * unit
    return [slice(min(rail * each, length), min((rail + 1) * each, length)) for rail in range(count)]
