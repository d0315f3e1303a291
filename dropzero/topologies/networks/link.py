"""The ends of emulated links: their rates and byte counters."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from mininet.link import Intf

from dropzero.linux import ring
from dropzero.linux.netlink import Sent, SentCounters
from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES

QUEUE_PACKETS = 1000
JOB_PACKETS = 256
"""Packets of one job that a switch's queue must hold: two results of each lane, of two packets each."""
ROUND_TRIP = 0.02
"""Seconds: an upper bound on the round-trip time without queueing."""
SHORT_ROUND_TRIP = 0.005
"""Seconds: the usual round-trip time without queueing."""
MARKED_AFTER = 16
"""Packets in a queue, beyond one short round trip, from which packets are marked (ECN)."""
PACKET_BYTES = OUTER_BYTES + MAX_PAYLOAD
ARP_RETRY, ARP_TRIES = 50, 60
"""Milliseconds between two ARP requests for an address, and how many there are."""


def in_flight(rate: float, seconds: float) -> int:
    """Returns how many full packets a link carries in `seconds`. rate: Mbit/s."""
    return round(rate * 1e6 / 8 * seconds / PACKET_BYTES)


class Interface(Intf):  # type: ignore[misc]
    """A veth end with a queueing discipline.

    The discipline also counts bytes. Unlike the interface, it counts a UDP GSO packet by the bytes of its datagrams on
    the wire.
    """

    rate: float | None = None
    queue: int = 0
    delay: float | None = None
    """ms; None: that of all links. The embedded switch delays the packets."""
    loss: float = 0.0
    """Probability that the embedded switch loses a packet on the way out."""

    def config(
        self,
        rate: float | None = None,
        delay: float | None = None,
        loss: float = 0.0,
        offload: bool = False,
        udp_gso: bool = False,
        jobs: int = 1,
        **params: Any,
    ) -> dict[str, Any]:
        """Sets the interface up.

        Args:
            rate: of this direction, Mbit/s; None: no limit. A switch with its own queues limits the rate itself, with
                queues of `queue` packets.
            delay: of this direction, ms; None: that of all links.
            loss: in this direction, the probability that the embedded switch loses a packet on the way out.
            offload: leave checksums and segmentation to the receiver. Otherwise every packet is sent alone with
                complete checksums, for switches without offloading.
            udp_gso: leave only checksums and UDP GSO packets to the receiver.
            jobs: the most jobs that send through it at once.
        """
        # Before the interface is up: then it would already have sent IPv6 announcements.
        ipv6 = Path("/proc/sys/net/ipv6/conf") / self.name / "disable_ipv6"
        self.cmd(f"[ ! -e {ipv6} ] || echo 1 > {ipv6}")
        results: dict[str, Any] = super().config(**params)
        left = dict.fromkeys(("rx", "tx", "gso"), offload or udp_gso) | dict.fromkeys(("tso", "gro"), offload)
        self.cmd("ethtool -K", self.name, *(f"{feature} {'on' if on else 'off'}" for feature, on in left.items()))
        # Linux asks for an address three times, once a second. Where links lose packets, a host whose first ARP request
        # is lost would let all others wait for a second.
        self.cmd("ip ntable change name arp_cache dev", self.name, "retrans", ARP_RETRY, "mcast_probes", ARP_TRIES)
        self.rate, self.delay, self.loss = rate, delay, loss
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

    def tc(self, arguments: str) -> None:
        """Runs tc. Raises RuntimeError if it fails."""
        output: str = self.cmd(f"tc {arguments} || echo failed")
        if output.rstrip().endswith("failed"):
            raise RuntimeError(f"tc {arguments}: {output.strip()}")

    def sent_bytes(self) -> int:
        """Returns the bytes that have left through this end so far, with Ethernet headers."""
        with closing(SentCounters(self.node.pid)) as counters:
            return counters.read()[self.name].bytes + self.sent_by_rings().bytes

    @property
    def rings(self) -> tuple[Path, int] | None:
        """The folder of the switch that offers rings in addition to this link, and its port; None: it offers none."""
        end = self.link.intf2
        folder = getattr(end.node, "rings", None)
        return None if folder is None else (folder, end.node.ports[end])

    def sent_by_rings(self) -> Sent:
        """Returns what has left through rings instead of this end."""
        if self.rings is None:
            return Sent(0, 0, 0)
        folder, port = self.rings
        if not (folder / ring.COUNTS).exists():
            return Sent(0, 0, 0)
        counts = ring.counts(folder)[port]
        if self is self.link.intf2:
            return Sent(*(int(counts[name]) for name in ("down_packets", "down_bytes", "dropped")))
        return Sent(int(counts["up_packets"]), int(counts["up_bytes"]), 0)
