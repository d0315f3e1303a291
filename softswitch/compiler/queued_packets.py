"""Packets queued between ingress and egress: how native code stores and resumes them.

A queued packet lies in the output of its batch like one that leaves, but with a negative length. It consists of a few
words, its packet vector, and its contents.
"""

from __future__ import annotations

from dropzero.softswitch.state.layout import PacketVector

LENGTH, TAKEN, QUEUE, ENQUEUED, DEPTH, LEFT, GOES, EXPECTED, WRITTEN, WORDS = range(10)
"""The words. length: bytes of contents. taken: bytes of them that the parser extracted. queue: the packet's priority.
enqueued, goes: times in microseconds. depth, left: other packets in the queue when this one arrived and left. expected:
bytes on the wire if egress adds and removes no headers. written: actual bytes on the wire, or as DROPPED says.
"""


DROPPED = -1
"""In place of the bytes written: the packet was dropped. A smaller n: recirculated, with DROPPED - 1 - n bytes."""


def queued_packet_bytes(vector: PacketVector) -> int:
    """The size of a queued packet without its contents, alignment included, in bytes."""
    return 8 * (WORDS + 1) + vector.size
