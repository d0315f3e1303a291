"""The state of a network in compiled code: its clock, events, packets, links, hosts and switches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.native.records import record
from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES
from dropzero.softswitch.state.layout import PORT_NUMBERS

MAX_FRAME = OUTER_BYTES + MAX_PAYLOAD
NEVER = 1 << 60
"""Nanoseconds."""
NONE = -1
"""No packet, link, stream, message or time."""
WINDOW = 256
"""The most packets of a stream in flight."""

CLOCK = record(
    # Nanoseconds.
    "time",
    # Events so far, events that were ever planned, and those that are planned now.
    "events number planned",
    # The node whose batch is next, that batch's packets, and whether there is one.
    "node arrived",
    ("waits", np.bool_),
    # Packets that nothing holds are the first `free` of State.free.
    "free",
    # Random numbers drawn of State.luck.
    "drawn",
    # Batches that entered queues.
    "batches",
    # Hosts whose call is over, and what made the last one fail.
    "over outcome",
    # The last message that has arrived as a whole, and when the first of them can be used.
    "delivered usable",
)
LINK = record(
    # The node where it ends, and the port there. NONE: at the host that each packet is addressed to.
    ("node port", np.int32),
    # See Quality.
    "rate delay",
    ("loss duplicate reorder", np.float64),
    # Packets that have entered it, their bytes from the Ethernet header on, and packets that it lost.
    "packets bytes lost",
    # The last bit has left at `free` nanoseconds and rest / rate more. No rounding error accumulates.
    "free rest",
    # The same when all packets in the queue have left, by their expected lengths.
    "expected expected_rest",
    # The queue: `count` entries of State.queues from `first` on. The last batch to enter it, its packets, and when
    # its last one begins to leave.
    "first count batch entered begins",
    # The most packets in the queue at once, and those that found it full.
    "deepest dropped",
)
HOST = record(
    # Addresses of its lanes' state and of their work. Without lanes, it has streams.
    "lanes work",
    # The headers in front of its payloads, with lengths and IP checksum 0.
    ("outer", np.uint8, (OUTER_BYTES,)),
    # Its link's number.
    ("link", np.int32),
    # Nanoseconds that its core takes for a packet.
    "cost",
    # Packets that the core has not taken in: the first, the last, and how many.
    ("first last", np.int32),
    "waiting",
    # The core is busy until then, and an event then is planned.
    "busy",
    ("woken", np.bool_),
    # When its timer goes off, and when its call was over; NONE: it is not over.
    "timer finished",
    # Its streams that may send: the first and the last. When it takes turns among them again.
    ("first_stream last_stream", np.int32),
    "again",
)
SWITCH = record(
    # Addresses, see Engine.places; and the most packets that one may become.
    "process resume context vector aside copies",
    # The number of the link at each port, or NONE.
    ("links", np.int32, (PORT_NUMBERS,)),
    # On a host: nanoseconds that its core takes for a packet, and until when it is busy.
    "cost busy",
)
SETTINGS = record(
    # Packets that a queue holds.
    "depth",
    # The most packets that a host sends at once.
    "burst",
    # The most full packets of streams that a host leaves in its card's queue.
    "card",
    # The most bytes by which a packet grows in a switch.
    "growth",
)
LEAVING = record(
    # A packet in a queue of a switch: when it begins to leave, and from when on it could; its place in its batch.
    "begins ready place",
    # Its port and link.
    "port link",
    # Where it lies in State.queued, in words, and its bytes there.
    "words size",
)
STREAM = record(
    # The hosts that send and receive its messages, and the headers of its packets and of the answers.
    ("source target", np.int32),
    ("outer", np.uint8, (OUTER_BYTES,)),
    ("answer_outer", np.uint8, (OUTER_BYTES,)),
    # Packets are numbered. Those before `base` have been answered, those from `next` on were never sent, and there
    # are none from `given` on. In between, by their remainders: which have arrived, and which are to be sent again.
    "base next given",
    ("arrived missing", np.uint8, (WINDOW,)),
    # How many are to be sent again, and in flight; up to which number lost ones were looked for.
    "repeats flying examined",
    # Packets that may be in flight, and how many until that doubles in a round trip.
    ("window threshold", np.float64),
    # Packets that were answered in this round trip, and how many of these were marked; their smoothed share; the
    # number with which the round trip is over, and the one from which on a loss makes the window smaller again.
    "answered congested",
    ("share", np.float64),
    "round recovery",
    # Nanoseconds, smoothed; when an answer is overdue; how often it was, lately; whether an event then is planned.
    "round_trip due tries",
    ("alarmed", np.bool_),
    # Whether it is among the host's streams that may send, and the next one there.
    ("ready", np.bool_),
    ("following", np.int32),
    # The target has all packets before `expected`, and these after it; packets that it has not answered, and how
    # many of these were marked.
    "expected",
    ("seen", np.uint8, (WINDOW,)),
    "unanswered marked",
    # The messages of `base` and of `expected`.
    ("kept coming", np.int32),
    # Packets that were sent again.
    "repeated",
)
MESSAGE = record(
    # Its stream, and the next one there.
    ("stream following", np.int32),
    # The number of its first packet, and of the packet after its last.
    "first end",
    # Its bytes, and the addresses of what is sent, and of where it is received.
    "size content copy",
    # The message that arrived as a whole before it.
    ("before", np.int32),
)
SEGMENT = np.dtype(
    [
        # What a packet of a stream has after the outer headers: the stream, and the packet's number, or that of the
        # packet which it answers.
        ("stream", np.int32),
        ("number", np.int32),
        # When the packet was sent, nanoseconds; in an answer, too.
        ("time", np.int64),
        # In an answer: as in STREAM, and how many packets it answers, and how many of these were marked.
        ("expected", np.int32),
        ("packets", np.int8),
        ("marked", np.int8),
        # DATA, URGENT or ANSWER.
        ("kind", np.int16),
    ]
)
HEADERS = OUTER_BYTES + SEGMENT.itemsize
"""Bytes, as many as of Ethernet, IPv4, and TCP with timestamps."""
SEGMENT_BYTES = 1448
"""The largest payload of a packet, in bytes, as TCP's MSS on Ethernet."""


COMING, QUEUED, RESUMED, GOING = range(4)
"""The packets of a switch's batch: as they come; in queues; as they leave these; as they leave the switch."""


class State(NamedTuple):
    """Nodes are numbered: first the switches, then the hosts. A packet is the number of a row of `frames`; exactly one
    event, host or `free` holds it."""

    clock: NDArray[np.void]
    """Shape (1,): see CLOCK."""
    settings: NDArray[np.void]
    """Shape (1,): see SETTINGS."""
    events: NDArray[np.int64]
    """A heap of EVENTs (heap.py), shape (n, 4), by time, node and number (events.py); the port of a timer is NONE."""
    frames: NDArray[np.uint8]
    """Shape (packets, bytes of the longest)."""
    lengths: NDArray[np.int32]
    """Bytes of each frame, shape (packets,)."""
    following: NDArray[np.int32]
    """The packet after each one that waits at a host; shape (packets,)."""
    free: NDArray[np.int32]
    """Packets that nothing holds."""
    batch: NDArray[np.int32]
    """The packets that arrive together, shape (n, 2): port and packet; or stream and NONE, if an answer may be due."""
    luck: NDArray[np.float64]
    """Random numbers in [0, 1)."""
    links: NDArray[np.void]
    """See LINK."""
    queues: NDArray[np.int64]
    """When packets begin to leave, shape (links, depth): each row is a ring."""
    hosts: NDArray[np.void]
    """See HOST."""
    switches: NDArray[np.void]
    """See SWITCH."""
    streams: NDArray[np.void]
    """See STREAM."""
    messages: NDArray[np.void]
    """See MESSAGE."""
    starts: NDArray[np.int64]
    """For a switch's engine: the addresses of packets, shape (4, n): see COMING. For packets that are queued or
    leaving, the offset in `words`, in bytes."""
    sizes: NDArray[np.int32]
    """Their lengths, see Engine; shape (4, n)."""
    ports: NDArray[np.int32]
    """Shape (4, n)."""
    arrivals: NDArray[np.int64]
    """When the packets arrived, microseconds; shape (n,)."""
    words: NDArray[np.int64]
    """The queued ones, and those that go; shape (2, m)."""
    leaving: NDArray[np.void]
    """See LEAVING."""
    order: NDArray[np.int64]
    """Its rows, in the order in which the packets leave."""
