"""Computes the packets and bytes of a collective from the blocks that each worker holds.

These are the protocol's formulas, without loss. A lane has one packet of each worker in flight at a time, so it takes
one round for the announcements, and one for every block of the union in the longest of its columns. In each round, a
worker sends the headers and those of the round's blocks that it holds, and gets the headers and all of the round's
blocks.

Two effects depend on timing; both cost only headers. A result that is too long for the packet that completes it is
split in two; the formulas assume that each worker's packet is equally likely to be that one. Columns take over the last
blocks of a large tensor from each other (dropzero.protocol.lanes.chunks); in the formulas, each keeps its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.lanes.chunks import occupied
from dropzero.protocol.wire import DATA, HEADROOM, OUTER_BYTES, Width, blocks_per_packet, payload_bytes


class Traffic(NamedTuple):
    """The traffic of one collective. Bytes count from the Ethernet header on."""

    rounds: int
    """Rounds of the longest lane."""
    packets: int
    """Packets that each worker sends."""
    split: int
    """Packets that each worker gets in addition to one for each that it sends: second parts of results."""
    sent: NDArray[np.int64]
    """Bytes that each worker sends, shape (workers,)."""
    received: int
    """Bytes that each worker gets."""


def at_once(blocks: int, block: int, width: Width) -> bool:
    """Whether the blocks fit into one packet, and so may be sent in the first round."""
    return blocks <= blocks_per_packet(block, width)


def traffic(
    held: NDArray[np.bool_],
    block: int,
    width: Width,
    lanes: int,
    send_all: bool = False,
    early: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
) -> Traffic:
    """Computes the traffic of a collective.

    Args:
        held: whether each worker holds each block, shape (workers, blocks).
        block: elements in a block.
        width: of an element on the wire.
        lanes: packets that a worker may have in flight.
        send_all: every worker sends every block of the union, as for maxima and minima.
        early: which blocks all workers send in the first round, and which of these need no second round, both of shape
            (blocks,).
    """
    columns = blocks_per_packet(block, width)
    workers, blocks = held.shape
    if not blocks:
        return Traffic(0, 0, 0, np.zeros(workers, np.int64), 0)
    lanes = occupied(blocks, columns, lanes)
    union = np.logical_or.reduce(held)
    if send_all:
        held = np.broadcast_to(union, held.shape)
    at_first = 0
    if early is not None:
        at_first = int(np.count_nonzero(early[0]))
        held, union = held & ~early[1], union & ~early[1]
    stride = lanes * columns
    rows = -(-blocks // stride)
    padded = np.zeros(rows * stride, bool)
    padded[:blocks] = union
    in_columns = padded.reshape(rows, stride).cumsum(axis=0)
    rounds = 1 + in_columns[-1].reshape(lanes, columns).max(axis=1)
    packets = int(rounds.sum())
    headers = OUTER_BYTES + payload_bytes(columns, 0)
    data = DATA.itemsize * (block * width.bits // 1024)

    # Each union block's round, counted over all lanes in turn.
    number = (np.cumsum(rounds) - rounds)[np.arange(blocks) % stride // columns] + in_columns.reshape(-1)[:blocks]
    worker, lacking = np.nonzero(union & ~held)
    missing = np.bincount(worker * packets + number[lacking])
    split = round(np.count_nonzero(missing * data > HEADROOM) / workers)

    everything = at_first + int(np.count_nonzero(union))
    sent = packets * headers + data * (at_first + np.count_nonzero(held, axis=1).astype(np.int64))
    return Traffic(int(rounds.max()), packets, split, sent, (packets + split) * headers + data * everything)
