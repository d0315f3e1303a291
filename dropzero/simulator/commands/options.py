"""The options of the commands that simulate."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from dropzero.controller.jobs.policies import Sharing
from dropzero.help import FaultOption, JobOption, NetworkOption, OutputOption, panel
from dropzero.simulator.collectives.schemes import SCHEMES
from dropzero.simulator.domain import Domain
from dropzero.simulator.formulas import Overlap, Scheme
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import QUEUE, Plan
from dropzero.simulator.spines import Placement
from dropzero.simulator.target import SwitchTarget
from dropzero.simulator.workload import BLOCK
from dropzero.units import RATES, SIZES, TIMES, parse

ReduceOption = panel("All-reduce")
COLLECTIVES = {each.lower().replace(" ", "-"): each for each in (Scheme.DROPZERO, *SCHEMES)}
"""The schemes by their names on the command line."""

Queue = Annotated[int, NetworkOption(min=1, max=100_000, help="Packets that a queue holds.")]
AsJson = Annotated[Path | None, OutputOption("--json", metavar="FILE", help="Write the result as JSON; - is stdout.")]


@dataclass(frozen=True)
class Links:
    """All links, and the seed of what happens on them."""

    rate: Annotated[str, NetworkOption(help="Rate of each link in each direction, bits a second: 100M, 100G.")] = "100M"
    delay: Annotated[str, NetworkOption(help="Propagation delay of each link: 500ns, 1us, 1ms.")] = "1us"
    loss: Annotated[float, FaultOption(min=0.0, max=1.0, help="Share of packets that each link loses.")] = 0.0
    duplicate: Annotated[float, FaultOption(min=0.0, max=1.0, help="Share of packets that arrive twice.")] = 0.0
    reorder: Annotated[float, FaultOption(min=0.0, max=1.0, help="Share of packets that are not delayed.")] = 0.0
    seed: Annotated[
        int, NetworkOption(min=0, help="Seed of the tensors, the losses and everything else that is random.")
    ] = 0

    @property
    def quality(self) -> Quality:
        """Raises ValueError if a number is wrong."""
        rate = parse(self.rate, RATES)
        if not rate:
            raise ValueError("links need a rate above 0")
        return Quality(rate, parse(self.delay, TIMES), self.loss, self.duplicate, self.reorder)


@dataclass(frozen=True)
class Reduction:
    """Workers that all-reduce, and their network."""

    links: Links
    workers: Annotated[int, NetworkOption(min=1, max=1024, help="Workers of each job.")] = 4
    racks: Annotated[
        str, NetworkOption(help="Leaves below a spine; 1: a single switch; 4x8: a spine above 4 switches above 8 each.")
    ] = "1"
    rails: Annotated[
        int,
        NetworkOption(min=1, help="Parallel trees, each with a network card of every host and a share of the tensor."),
    ] = 1
    queue: Queue = QUEUE
    mark_from: Annotated[
        int | None, NetworkOption(min=0, help="Packets in a queue from which packets are marked (ECN); 0: never.")
    ] = None
    collective: Annotated[
        str, ReduceOption(metavar="SCHEME", help=f"Who all-reduces, and how: {', '.join(COLLECTIVES)}.")
    ] = str(Scheme.DROPZERO)
    density: Annotated[float, ReduceOption(help="Share of a worker's blocks that are not zero, in (0, 1].")] = 1.0
    overlap: Annotated[Overlap, ReduceOption(help="Where the workers' non-zero blocks are.")] = Overlap.RANDOM
    row: Annotated[int, ReduceOption(min=1, help="Elements that are zero or not as a whole.")] = BLOCK
    lanes: Annotated[
        int | None,
        ReduceOption(min=1, max=1024, help="Packets that a worker may have in flight; by default, two round trips."),
    ] = None
    target: Annotated[
        SwitchTarget,
        NetworkOption(help="Switches: v1model's, or Tofino 2's: packets of one block of 32 words, and no racks."),
    ] = SwitchTarget.V1MODEL
    host_cost: Annotated[str, ReduceOption(help="Time that a host takes for a packet, in or out.")] = "0"

    def plan(self, size: str, **others: Any) -> Plan:
        """Returns the plan to all-reduce tensors of a size, such as 1MB. others: more of its fields. Raises
        ValueError."""
        tiers = re.fullmatch(r"(?:([1-9]\d*)x)?([1-9]\d*)", self.racks)
        if tiers is None:
            raise ValueError(f"{self.racks!r} is not a number of racks, such as 8 or 4x8")
        if self.collective not in COLLECTIVES:
            raise ValueError(f"{self.collective!r} is not a collective: choose {', '.join(COLLECTIVES)}")
        pods = int(tiers[1] or 1)
        return Plan(
            workers=self.workers,
            racks=pods * int(tiers[2]),
            quality=self.links.quality,
            size=parse(size, SIZES),
            density=self.density,
            overlap=self.overlap,
            lanes=self.lanes,
            queue=self.queue,
            mark_from=self.mark_from,
            cost=parse(self.host_cost, TIMES),
            seed=self.links.seed,
            pods=pods,
            scheme=COLLECTIVES[self.collective],
            row=self.row,
            rails=self.rails,
            target=self.target,
            **others,
        )


@dataclass(frozen=True)
class Fabric:
    """What the network of a trace has besides."""

    spines: Annotated[int, NetworkOption(min=1, help="Switches at the top, each linked to all racks (ECMP).")] = 1
    placement: Annotated[
        Placement,
        NetworkOption(help="The spine that adds up for a group: by a hash, in turn, or always the first."),
    ] = Placement.HASH
    domain: Annotated[
        int, NetworkOption(min=1, help="Neighbouring ranks that a faster switch joins, such as NVLink's; 1: none.")
    ] = 1
    domain_rate: Annotated[str, NetworkOption(help="Rate of each rank's link to that switch.")] = "3.6T"
    domain_delay: Annotated[str, NetworkOption(help="Propagation delay of these links.")] = "150ns"

    @property
    def fields(self) -> dict[str, Any]:
        """What a plan has of it. Raises ValueError."""
        quality = Links(self.domain_rate, self.domain_delay).quality
        domain = None if self.domain == 1 else Domain(self.domain, quality)
        return {"spines": self.spines, "placement": self.placement, "domain": domain}


@dataclass(frozen=True)
class Jobs:
    """Several jobs, which share the switches' slots."""

    sharing: Sharing
    jobs: Annotated[int, JobOption(min=1, help="At once, each on hosts of its own.")] = 1
    priorities: Annotated[
        str, JobOption(metavar="N,...", help="The jobs' priorities, for the policy; jobs without one have 1.")
    ] = ""
    calls: Annotated[
        int, JobOption(min=1, help="All-reduces of each job, one after the other, of equal parts of its tensor.")
    ] = 1
    aggregator: Annotated[
        bool,
        JobOption(
            "--aggregator", help="A host next to the top switch adds up for jobs without slots, which otherwise wait."
        ),
    ] = False
    stagger: Annotated[str, JobOption(help="Time between two jobs' arrivals.")] = "0"

    @property
    def fields(self) -> dict[str, Any]:
        """What a plan has of them. Raises ValueError."""
        numbers = self.priorities.split(",") if self.priorities else []
        if not all(number.isdecimal() and int(number) for number in numbers):
            raise ValueError(f"{self.priorities!r} is not a list of priorities, such as 3,1,1")
        if len(numbers) > self.jobs:
            raise ValueError(f"{self.priorities} are the priorities of {len(numbers)} jobs, and --jobs is {self.jobs}")
        own = {"priorities": tuple(map(int, numbers)), "stagger": parse(self.stagger, TIMES)}
        return vars(self.sharing) | {"jobs": self.jobs, "calls": self.calls, "aggregator": self.aggregator} | own
