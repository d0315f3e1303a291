"""Computes the packets and bytes of a collective from the blocks that each worker holds.

These are the protocol's formulas, without loss. A lane has one packet of each worker in flight at a time, so it takes
one round for the announcements, and one for every block of the union in the longest of its columns. In each round, a
worker sends the headers and those of the round's blocks that it holds, and gets the headers and all of the round's
blocks.

Two effects are left out; both cost only headers. Columns take over the last blocks of a large tensor from each other
(dropzero.protocol.lanes.chunks), depending on timing; in the formulas, each keeps its own. BMv2 splits a result in two
that is much longer than the packet that completes it.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.protocol.lanes.chunks import cut_chunks, is_short, occupied
from dropzero.protocol.wire import DATA, OUTER_BYTES, Width, blocks_per_packet, payload_bytes


class Traffic(NamedTuple):
    """The traffic of one collective. Bytes count from the Ethernet header on."""

    rounds: int
    """Rounds of the longest lane."""
    packets: int
    """Packets that each worker sends, and gets."""
    sent: NDArray[np.int64]
    """Bytes that each worker sends, shape (workers,)."""
    received: NDArray[np.int64]
    """Bytes that each worker gets, shape (workers,)."""


def at_once(blocks: int, block: int, width: Width, lanes: int = 1) -> bool:
    """Whether the blocks fit into a packet on each lane, and so may be sent in the first round."""
    return is_short(blocks, blocks_per_packet(block, width), lanes)


def traffic(
    held: NDArray[np.bool_],
    block: int,
    width: Width,
    lanes: int,
    send_all: bool = False,
    early: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
    wanted: NDArray[np.bool_] | None = None,
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
        wanted: of an all-gather, whether each worker needs each block, shape (workers, blocks); None: all do.
    """
    workers, blocks = held.shape
    if not blocks:
        return Traffic(0, 0, *np.zeros((2, workers), np.int64))
    columns = blocks_per_packet(block, width)
    lanes = occupied(blocks, columns, lanes)
    at_first, known = 0, np.zeros(blocks, bool)
    if early is not None:
        at_first, known = int(np.count_nonzero(early[0])), early[1]
    headers = OUTER_BYTES + payload_bytes(columns, 0)
    data = DATA.itemsize * (block * width.bits // 1024)
    shares, counts = np.zeros(workers, np.int64), np.zeros(3, np.int64)
    _count(held, known, send_all, lanes, columns, shares, counts)
    rounds, packets, everything = counts.tolist()
    spared = np.zeros(workers, np.int64) if wanted is None else _declined(held, wanted, lanes, columns)
    received = packets * headers + data * (at_first + everything - spared)
    return Traffic(rounds, packets, packets * headers + data * (at_first + shares), received)


def _declined(held: NDArray[np.bool_], wanted: NDArray[np.bool_], lanes: int, columns: int) -> NDArray[np.int64]:
    """The blocks whose data the switch does not send to each worker, shape (workers,): those of packets without any
    block that it needs."""
    workers, blocks = held.shape
    spared, union = np.zeros(workers, np.int64), np.logical_or.reduce(held)
    cut = cut_chunks(blocks, lanes, columns, sharded=True)
    chunks = [first + np.flatnonzero(union[first:end]) for first, end in zip(cut.first, cut.end, strict=True)]
    for start in range(0, len(chunks), columns):
        # A lane's packet has the next block of each column.
        for packet in zip_longest(*chunks[start : start + columns]):
            places = [block for block in packet if block is not None]
            spared += np.where(wanted[:, places].any(axis=1), 0, len(places))
    return spared


@compiled
def _count(
    held: NDArray[np.bool_],
    known: NDArray[np.bool_],
    send_all: bool,
    lanes: int,
    columns: int,
    shares: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Counts packets and blocks, over all lanes.

    Args:
        known: the blocks that need no round, shape (blocks,).
        shares: gets the blocks that each worker sends, shape (workers,).
        counts: gets the rounds of the longest lane, the packets of each worker, and the blocks of the union.
    """
    workers, blocks = held.shape
    for lane in range(lanes):
        longest = 0
        for first in range(lane * columns, min((lane + 1) * columns, blocks)):
            row = 0
            for at in range(first, blocks, lanes * columns):
                union = False
                for worker in range(workers):
                    union |= held[worker, at]
                if known[at] or not union:
                    continue
                row += 1
                for worker in range(workers):
                    shares[worker] += send_all or held[worker, at]
            counts[2] += row
            longest = max(longest, row)
        counts[0] = max(counts[0], 1 + longest)
        counts[1] += 1 + longest
