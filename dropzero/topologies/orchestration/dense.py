"""The bytes that dense training would send, for comparison."""

from __future__ import annotations

from dropzero.protocol.lanes.chunks import occupied
from dropzero.protocol.wire import OUTER_BYTES, blocks_per_packet, payload_bytes

ELEMENT_BYTES = 4


def dense_uplink_bytes(elements: int, lanes: int, block: int) -> int:
    """Returns the bytes that one worker sends to reduce one array without zero blocks, with Ethernet headers.

    With C blocks per packet and B = ceil(elements / block) blocks on L lanes, block b belongs to lane (b mod L C) div
    C. Lane l sends one packet for the first announcement and one for each of its ceil((B - l C) / (L C)) rounds, each
    with the headers and C column descriptors. Every block is sent once, the last one padded with zeros.

    Args:
        elements: of the array, of float32. A small one of integers takes one round less.
        lanes: packets that a worker may have in flight.
        block: elements in a block.
    """
    columns = blocks_per_packet(block)
    blocks = -(-elements // block)
    lanes = occupied(blocks, columns, lanes)
    stride = lanes * columns
    packets = sum(1 - (lane * columns - blocks) // stride for lane in range(lanes))
    return packets * (OUTER_BYTES + payload_bytes(columns, 0)) + blocks * block * ELEMENT_BYTES
