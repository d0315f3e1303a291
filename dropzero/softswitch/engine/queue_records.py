"""The structures of the queues (queues.py), for Python and for native code. Every field is a 64-bit number or address.
Times are nanoseconds."""

from __future__ import annotations

from dropzero.native.records import record

NOTHING, FULL = -1, -1
"""No time; no room in a queue."""
NEVER = 2**63 - 1


STATE = record(
    # An address of a PORT for each port number, or 0; the queues of each port.
    "ports priorities",
    # The ports that have packets, by the time of their next departure, how many there are, and the first of these
    # times, or NOTHING. The packets in all queues.
    "agenda busy next waiting",
)
"""All queues of a switch."""
PORT = record(
    "number rate",
    # The wire has sent all packets that have left the queues at `free` nanoseconds plus `rest` / rate.
    "free rest",
    # When the next packet leaves, and the port's place on the agenda, from 1 on; 0: it is not there.
    "due place",
    # The wire after the packets that are `leaving`, and whether there are any.
    "expected_free expected_rest expects",
    "offered dropped deepest",
    # While packets leave: whether any did, the wire before them, and the departures, counted from 1, whose packets are
    # written.
    "served free_before rest_before written last_written",
)
"""A port. A PRIORITY_QUEUE for each priority follows."""
PRIORITY_QUEUE = record(
    # The most packets that it holds; the time between two packets, by the queue's rate.
    "depth gap",
    # The packets, NODEs; how many there are; the earliest time that the newest may leave.
    "first last count newest_ready",
    # How many of the first had left when the newest came, and the first of the others (see _expect).
    "leaving staying",
    # How many of the first came before the last departure, and the last of these.
    "seen last_seen",
    # When packets that left early really leave: GONEs.
    "gone gone_last gone_count",
)
NODE = record(
    # When it came, the earliest time that it may leave, its expected bytes on the wire, its neighbours in the queue.
    "came ready length next previous",
    # Its address and bytes (queued_packets.py), and whose it is.
    "packet size owner",
)
"""A packet in a queue, which follows. Native code allocates it."""
GONE = record("time next")
DEPARTURE = record(
    # The packets that remain in the queue; and when it could leave if the packets before it had no length.
    "port packet size owner time left begin",
    # When it has been sent, and the next departure, counted from 1, of this port.
    "node port_at end next",
)
"""A packet that leaves its queue at `time`, if the packets before it have their expected lengths."""
