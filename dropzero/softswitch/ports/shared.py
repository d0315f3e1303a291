"""The structure through which the ports' native code and Python exchange numbers and addresses."""

from __future__ import annotations

import numpy as np

from dropzero.native.records import record

POLL = np.dtype([("fd", "i4"), ("events", "i2"), ("revents", "i2")])
"""struct pollfd."""
TIME = np.dtype([("seconds", "i8"), ("nanoseconds", "i8")])
"""struct timespec."""

SPIN_NS = 50_000
"""Nanoseconds to poll before sleeping, because waking up takes as long as many packets do. Polling in vain halves
it."""

READINGS, APART = 10, 5_000
"""How often to read two clocks at most, and the nanoseconds by which the readings may be apart."""

SENT = 1024
"""Packets sent in one system call."""
SEND_EVERY = 128
"""Packets to process before sending the results, which are still in the caches then."""

RING_FRAMES = 256
"""Frames to take from all rings at once, and the most programs with rings: each has a share."""

CALLED, ARRIVED, PROCESSED = range(3)
"""Why fast_path() returned. CALLED: Python has something to do, or there was nothing to receive. ARRIVED: Python must
look at the batch, which has not been processed. PROCESSED: the first `processed` packets of the batch have been
processed, but not sent."""

SHARED = record(
    # The ports: a struct pollfd each, followed by those of the doorbell and of other descriptors; their numbers; how
    # many there are of both; the packets that each interface refused since Python last looked, and the last errno.
    "pollfds port_numbers port_count poll_count dropped error",
    # Captures of what the ports receive and send: a file descriptor for each port, -1: none; no address if no port has
    # one. Memory for the headers of RECORDS records, and two struct iovec for each. The errno of the last file that
    # could not be written to.
    "incoming outgoing records record_vectors capture_error",
    # Received messages: how many slots there are for them, the bytes of a slot, and arrays with an element for each.
    "slot_count slot_bytes slots vnet_headers auxdata messages_in message_ports",
    # The packets in these messages (see Frames).
    "starts lengths ingress_ports arrivals",
    # The packets in each message, received or sent.
    "packet_counts",
    # The program (see Engine.places), the CPU port or -1, and time.monotonic_ns() when the switch's time began.
    "process context vector aside cpu_port begin",
    # The program's output (see Output).
    "out_data out_starts out_lengths out_ports out_size out_count",
    # Messages to send, with memory for their headers and two struct iovec a packet; the kinds of GSO
    # packets to send (gso.py).
    "headers_out vectors_out messages_out coalesce",
    # The current batch: messages, packets, packets processed, and time.monotonic_ns() when it was received.
    "messages packets processed now",
    # CLOCK_REALTIME when the switch's time began, in nanoseconds.
    "realtime_begin",
    # The nanoseconds to poll before sleeping, and a struct timespec to read clocks into.
    "spin timespec",
    # The rings: a RING each; the switch's doorbell; the number that is written to and read from doorbells.
    "rings ring_count doorbell doorbell_count",
)
"""Numbers, and addresses of arrays and structures."""

RING = record(
    # The memory of both directions, the switch's port, and the program's address in network order.
    "memory port ip udp_port",
    # The program's doorbell, and the port's PORT_COUNTS.
    "doorbell counts",
)
"""Rings that the switch shares with a program (rings.py)."""
