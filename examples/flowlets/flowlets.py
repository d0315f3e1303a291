"""Flowlets, in virtual time: hosts send bursts over two paths, of which one is longer. The switch's program chooses one
for each burst, for each packet (with a gap of 0), or for each flow (with a gap longer than all pauses):

    python examples/flowlets/flowlets.py --gap 100us
    python examples/flowlets/flowlets.py --gap 0us
    python examples/flowlets/flowlets.py --gap 1s
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from typing import Annotated

import typer

from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.programs.fabric import Fabric
from dropzero.softswitch.offline.state import set_up
from dropzero.softswitch.runtime_cli.script import Script
from dropzero.units import RATES, TIMES, parse

PROGRAM = Path(__file__).parent / "compiled/program.json"
HEADER = Struct("!12sHBBHIBBHIIHHI")
"""Ethernet, IPv4, the source's and the destination's port, and the packet's number in its flow."""
RECEIVER = "s2", 1
PATHS = ("s1", 2), ("s1", 3)
FIRST = 4
"""The port of s1 with the first sender."""
SIZE, BURST = 1000, 8
"""Bytes of a packet, and packets of a burst."""
PAUSE = 500
"""The mean pause between two bursts of a flow, in times that a packet takes on a link."""
PAUSES = 125
"""How many a flow makes."""


class Sender:
    """A host that sends bursts, with pauses of `pause` nanoseconds on average between them."""

    def __init__(self, fabric: Fabric, port: int, pause: int) -> None:
        self.fabric, self.port, self.pause = fabric, port, pause
        self.draw = random.Random(port)
        self.sent = 0

    def wake(self) -> None:
        """Sends a burst, and sets the timer for the next one."""
        for _ in range(BURST):
            ip = 0x45, 0, SIZE - 14, 0, 64, 17, 0, self.port, RECEIVER[1]
            self.fabric.send("s1", self.port, HEADER.pack(bytes(12), 0x0800, *ip, 1, 1, self.sent).ljust(SIZE, b"\0"))
            self.sent += 1
        self.fabric.wake("s1", self.port, self.fabric.time + round(self.draw.uniform(0.5, 1.5) * self.pause))


@dataclass
class Result:
    """
    Attributes:
        shares: of the packets, by path.
        late: the share of packets that arrived after a later one of their flow.
    """

    shares: list[float]
    late: float


def spread(gap: int, *, flows: int = 10, rate: int = 10**10, delays: tuple[int, int] = (10_000, 40_000)) -> Result:
    """Lets hosts send a flow each over two paths. gap: microseconds. rate: of all links, bits a second. delays: of the
    paths, nanoseconds."""
    fabric = Fabric(Quality(rate))
    for name in ("s1", "s2"):
        set_up(fabric.add(name), PROGRAM)
    for (_, port), delay in zip(PATHS, delays, strict=True):
        fabric.link(("s1", port), ("s2", port), Quality(rate, delay))
    Script(fabric.switches["s1"]).onecmd(f"table_add ingress.route ingress.spread {RECEIVER[1]} => {gap}")
    Script(fabric.switches["s2"]).onecmd(f"table_add ingress.route ingress.to {RECEIVER[1]} => {RECEIVER[1]}")
    pause = PAUSE * SIZE * 8 * 10**9 // rate
    senders = {port: Sender(fabric, port, pause) for port in range(FIRST, FIRST + flows)}
    for sender in senders.values():
        sender.wake()
    newest = dict.fromkeys(senders, -1)
    received = late = 0
    for arrival in fabric.run(PAUSES * pause):
        if not arrival.packet:
            senders[arrival.port].wake()
            continue
        *_, source, _, _, _, number = HEADER.unpack_from(arrival.packet)
        received += 1
        late += number < newest[source]
        newest[source] = max(number, newest[source])
    carried = [fabric.links[path].packets for path in PATHS]
    return Result([each / sum(carried) for each in carried], late / received)


def main(
    gap: Annotated[str, typer.Option(help="The pause after which a flow may take another path.")] = "100us",
    rate: Annotated[str, typer.Option(help="Of all links, bits a second.")] = "10G",
    flows: Annotated[int, typer.Option(min=1)] = 10,
) -> None:
    """Print how many packets take each path, and how many arrive out of order."""
    result = spread(parse(gap, TIMES) // 1000, rate=parse(rate, RATES), flows=flows)
    print(f"{result.shares[0]:.1%} and {result.shares[1]:.1%} by the two paths; {result.late:.1%} out of order")


if __name__ == "__main__":
    typer.run(main)
