"""The memory layout of packets that are queued between ingress and egress.

Native code writes a queued packet to the output of its batch, like a packet that leaves, but with a negative length. It
consists of a few words, the packet vector, and the packet's contents.
"""

from __future__ import annotations

from dropzero.softswitch.program.model import Program
from dropzero.softswitch.state.layout import PacketVector

LENGTH, EXTRACTED, QUEUE, ENQUEUED, ENQUEUE_DEPTH, DEQUEUE_DEPTH, DEQUEUED, EXPECTED, WRITTEN, WORDS = range(10)
"""The words:

length:    the bytes of the contents
extracted: how many of them the parser extracted
queue:     the packet's priority
enqueued, dequeued: when it entered and left the queue, in microseconds
enqueue_depth, dequeue_depth: the other packets in the queue at these times
expected:  its bytes on the wire, if egress adds and removes no headers
written:   its bytes on the wire; or DROPPED, or less if it was recirculated
"""

DROPPED = -1
"""Stands for the bytes written if the packet was dropped. DROPPED - 1 - n: recirculated, with n bytes."""


def growth(program: Program, vector: PacketVector) -> int:
    """The most bytes by which a packet can get longer: by the headers that its deparsers add, and as a queued packet,
    which is between the last two, including alignment."""
    *before, last = (sum(program.headers[name].type.bits // 8 for name in each.order) for each in program.deparsers)
    return sum(before) + max(last, 8 * (WORDS + 1) + vector.size)
