"""One end of an emulated link: its rate, and the bytes that the kernel saw leave through it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mininet.link import Intf

QUEUE_PACKETS = 1000


class Interface(Intf):  # type: ignore[misc]
    """A veth end with a queueing discipline of its own.

    There always is one, for its byte counter: unlike the interface's, it counts a train of packets (UDP GSO) as the
    bytes that its packets have on the wire.
    """

    def config(self, rate: float | None = None, offload: bool = False, **params: Any) -> dict[str, Any]:
        """Sets the interface up.

        Args:
            rate: what the link carries in this direction, in Mbit/s; None for no limit.
            offload: leave checksums to whoever receives the packet. Off, every packet leaves with its checksums right,
                which a switch that does not know of offloading needs.
        """
        # Before the interface is up, or it has announced itself already.
        ipv6 = Path("/proc/sys/net/ipv6/conf") / self.name / "disable_ipv6"
        self.cmd(f"[ ! -e {ipv6} ] || echo 1 > {ipv6}")
        results: dict[str, Any] = super().config(**params)
        state = "on" if offload else "off"
        self.cmd("ethtool -K", self.name, *(f"{feature} {state}" for feature in ("rx", "tx", "tso", "gso", "gro")))
        self.cmd("ip link set dev", self.name, "txqueuelen", QUEUE_PACKETS)
        if rate is None:
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
