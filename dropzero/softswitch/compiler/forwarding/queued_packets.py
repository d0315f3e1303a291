"""The memory layout of packets that are queued between ingress and egress.

Native code writes a queued packet to the output of its batch, like a packet that leaves, but with a negative length. It
consists of a few words, the packet vector, and the packet's contents.
"""

from __future__ import annotations

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


def queued_packet_bytes(vector: PacketVector) -> int:
    """The size of a queued packet without its contents, including alignment, in bytes."""
    return 8 * (WORDS + 1) + vector.size
