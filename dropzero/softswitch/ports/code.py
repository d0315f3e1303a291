"""The native functions of the ports, for Python to call."""

from __future__ import annotations

from collections.abc import Callable

from dropzero.native.compilation import entry_point
from dropzero.softswitch.ports.fast_path_code import fast_path
from dropzero.softswitch.ports.gso_code import coalesce, split
from dropzero.softswitch.ports.ring_code import deliver, rest, take


class PortCode:
    """The native functions of the ports. The first argument of each is the address of a SHARED (shared.py).

    split(shared, messages) -> packets
        Turns received messages into packets. Each message lies TAG_BYTES after the beginning of its slot, so that the
        tag that the kernel removed can be inserted again. Fills in starts (from `slots`), lengths, ingress_ports,
        arrivals (microseconds of the switch's time, at most `now`), and packet_counts: 0 for a truncated message, or a
        GSO packet that cannot be split. Prepares the messages to receive into again.
    coalesce(shared, data, starts, lengths, ports, count, port) -> messages
        Turns those of `count` packets that leave by `port` into messages_out, in order; joins neighbours of a flow
        into GSO packets of the kinds in `coalesce`. The arguments are the addresses of Frames' arrays. Fills in
        packet_counts. Uses HEADER_BYTES of headers_out and two of vectors_out for each packet.
    take(shared, packets) -> packets
        Appends the frames that rings hold to the `packets` packets of the batch.
    deliver(shared, data, starts, lengths, ports, count) -> packets
        Puts those of `count` packets into rings that are for their programs, and sets their ports to NOWHERE. The
        arguments are as for coalesce.
    rest(shared) -> 0
        Has the programs ring the switch's doorbell from now on, and rings it itself if there already are frames.
    fast_path(shared) -> CALLED, ARRIVED or PROCESSED
        See fast_path.py.
    """

    def __init__(self) -> None:
        """Compiling takes seconds if the cache does not have the code."""
        self.split: Callable[..., int] = entry_point(split)
        self.take: Callable[..., int] = entry_point(take)
        self.coalesce: Callable[..., int] = entry_point(coalesce)
        self.deliver: Callable[..., int] = entry_point(deliver)
        self.rest: Callable[..., int] = entry_point(rest)
        self.fast_path: Callable[..., int] = entry_point(fast_path)
