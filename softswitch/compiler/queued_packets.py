"""Packets that wait in a queue between ingress and egress: how native code stores and resumes them.

A queued packet lies in the output of its batch like one that leaves, but its length there is negative: it consists of a
few words, its packet vector, and its contents.
"""

from __future__ import annotations

from dropzero.softswitch.state.layout import PacketVector

LENGTH, TAKEN, QUEUE, ENQUEUED, DEPTH, LEFT, GOES, EXPECTED, WRITTEN, WORDS = range(10)
"""The words. length: of the contents, in bytes. taken: of those, by the parser. queue: the packet's priority. enqueued,
goes: microseconds. depth, left: the packets in the queue when this one came and when it goes, itself not among them.
expected: the bytes that leave if egress adds and removes no headers. written: those that did, or what became of it.
"""


DROPPED = -1
"""What became of a packet, in the place of its length. Less: it is recirculated, with so many bytes less one."""


def queued_packet_bytes(vector: PacketVector) -> int:
    """Bytes that a queued packet takes besides its contents, alignment included."""
    return 8 * (WORDS + 1) + vector.size
