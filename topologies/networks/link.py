"""One end of an emulated link: its rate, and the bytes that the kernel saw leave through it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mininet.link import Intf

from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES

QUEUE_PACKETS = 1000
JOB_PACKETS = 256
"""Of one job, that may wait in a queue of a switch: all its lanes' results, each in two packets, and again as many."""
ROUND_TRIP = 0.02
"""Seconds, at most, without the waiting."""
SHORT_ROUND_TRIP = 0.005
"""Seconds, as it is mostly."""
MARKED_AFTER = 16
"""Packets that wait, besides those that a link takes in a short round trip, when others begin to be marked (ECN)."""
PACKET_BYTES = OUTER_BYTES + MAX_PAYLOAD


def in_flight(rate: float, seconds: float) -> int:
    """Full packets that a link of so many Mbit/s takes in that time."""
    return round(rate * 1e6 / 8 * seconds / PACKET_BYTES)


class Interface(Intf):  # type: ignore[misc]
    """A veth end with a queueing discipline of its own.

    There always is one, for its byte counter: unlike the interface's, it counts a train of packets (UDP GSO) as the
    bytes that its packets have on the wire.
    """

    rate: float | None = None
    queue: int = 0

    def config(
        self,
        rate: float | None = None,
        offload: bool = False,
        trains: bool = False,
        jobs: int = 1,
        **params: Any,
    ) -> dict[str, Any]:
        """Sets the interface up.

        Args:
            rate: what the link carries in this direction, in Mbit/s; None for no limit. A switch with queues of its own
                sees to that itself, with `queue` packets.
            jobs: how many send through it at once, at most.
            offload: leave checksums, and what is longer than a packet, to whoever receives it. Off, every packet leaves
                alone and with its checksums right, which a switch that does not know of offloading needs.
            trains: leave checksums and trains of UDP packets to whoever receives them, but nothing else.
        """
        # Before the interface is up, or it has announced itself already.
        ipv6 = Path("/proc/sys/net/ipv6/conf") / self.name / "disable_ipv6"
        self.cmd(f"[ ! -e {ipv6} ] || echo 1 > {ipv6}")
        results: dict[str, Any] = super().config(**params)
        left = dict.fromkeys(("rx", "tx", "gso"), offload or trains) | dict.fromkeys(("tso", "gro"), offload)
        self.cmd("ethtool -K", self.name, *(f"{feature} {'on' if on else 'off'}" for feature, on in left.items()))
        self.cmd("ip link set dev", self.name, "txqueuelen", QUEUE_PACKETS)
        self.rate = rate
        self.queue = JOB_PACKETS * jobs + in_flight(rate or 0, ROUND_TRIP)
        if rate is None or getattr(self.node, "queues", False):
            self.tc(f"qdisc replace dev {self.name} root handle 1: pfifo limit {QUEUE_PACKETS}")
        else:
            # A burst of 1 ms: long enough for the kernel's timers, too short to hide the rate.
            burst = max(16_000, round(rate * 1e6 / 8 * 1e-3))
            self.tc(f"qdisc replace dev {self.name} root handle 1: htb default 1")
            limit = f"rate {rate}mbit burst {burst} cburst {burst}"
            self.tc(f"class replace dev {self.name} parent 1: classid 1:1 htb {limit}")
            self.tc(f"qdisc replace dev {self.name} parent 1:1 handle 2: pfifo limit {QUEUE_PACKETS}")
        return results

    def tc(self, arguments: str) -> str:
        """Runs tc.

        Raises:
            RuntimeError: tc says no.
        """
        output: str = self.cmd(f"tc {arguments} || echo failed")
        if output.rstrip().endswith("failed"):
            raise RuntimeError(f"tc {arguments}: {output.strip()}")
        return output

    def sent_bytes(self) -> int:
        """Bytes on the wire, Ethernet headers included, that left through this end since it was made."""
        disciplines = json.loads(self.tc(f"-s -j qdisc show dev {self.name}"))
        return next(int(discipline["bytes"]) for discipline in disciplines if discipline.get("root"))
