"""The structures of a fabric (fabric.py), for Python and for native code. Numbers and addresses are 64-bit integers.
Times are nanoseconds."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from dropzero.native.records import record

NONE = -1
"""No time."""
NEVER = 2**63 - 1


class Kind(IntEnum):
    """What a packet is about to do: a host sends it; it reaches a switch's port, or the host there; or it stands for
    the time at which a switch's queues continue."""

    SEND = 0
    REACH = 1
    RECEIVE = 2
    CONTINUE = 3


class Need(IntEnum):
    """What native code asks Python for: the engine of a switch; queues or a link at a port; random numbers; to read the
    reports of an engine."""

    ENGINE = 0
    QUEUE = 1
    LINK = 2
    LUCK = 3
    REPORTS = 4


FABRIC = record(
    "time",
    # A heap (kernel/heap.py): its address, how many there are and have room; and the number of the last one.
    "events planned room number",
    # The addresses of the SWITCHes, and of the callback for a Need.
    "switches ask",
    # Random numbers in [0, 1): the address, how many there are, and how many have been drawn.
    "luck lucky drawn",
    # The switches that the packets of this time have reached, a list of numbers from 1 on; 0: none.
    "first last",
    # The packets that hosts have received, and how many these are.
    "arrived last_arrived arrivals",
    # For a switch's engine, the addresses of packets' starts, lengths, ports and arrivals or order, and the room, in
    # packets: for those that go in; and of data, starts, lengths and ports, with the room in bytes and in packets, for
    # those that come out.
    "starts lengths ports arrivals_in in_room",
    "data out_starts out_lengths out_ports order out_bytes out_room",
    # The departures from a switch's queues, and their room.
    "departures departure_room",
    # Packets that have left a switch's queues: their addresses, ports (int32) and times; how many, and the room.
    "left left_ports left_times left_count left_room",
)
PACKET = record(
    # See Kind; the number of a switch, and of its port; bytes, which follow.
    "kind switch port length",
    # When a host has received it; and the next packet in the same list, or 0.
    "time next",
)
SWITCH = record(
    # The engine: its addresses (Engine.places), its number, the most bytes by which a packet grows, and whether egress
    # handles packets that leave their queues at different times one time after another.
    "process resume context vector aside owner growth alone",
    # The STATE of its queues, and when these continue, as planned.
    "queues due",
    # The port of the control plane, or NONE.
    "cpu_port",
    # The addresses of arrays with the address of the LINK from each port, and from the host there to it; 0: none.
    "links hosts",
    # The packets that reach it now, a list, and how many; the next switch in the list, from 1 on; whether it is there.
    "first last count next reached",
)
LINK = record(
    "rate delay",
    # What becomes of a packet at its end; and the switch and port.
    "kind switch port",
    "packets bytes lost",
    # When the host's network card has sent all that it was given: at `free` and `rest` / rate more.
    "free rest",
    ("loss duplicate reorder", np.float64),
)
