"""Policies: how many of a switch's slots each job has.

A policy is asked whenever a job comes or goes, and then running jobs whose share has changed begin a new epoch with
other slots. It only counts slots: which they are is the allocator's (slots.py), so that no policy can let two jobs
share one. It is asked for one switch at a time, and a job has the same number of slots on all of its switches: the
smallest that the policy has for it. Your own policy is a class with a `shares` method; examples/policy has one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module, util
from operator import index
from pathlib import Path
from typing import Annotated, Protocol

from dropzero.controller.jobs.slots import SLOTS
from dropzero.help import JobOption


class PolicyError(ValueError):
    """There is no such policy, or it gives impossible shares."""


@dataclass(frozen=True)
class Demand:
    """A job that is on the switch, or wants to be.

    Attributes:
        job: its number.
        wanted: slots that it asks for, and the most it can use; 0: it waits for another switch.
        share: slots that it has there now; 0: it waits, comes from other switches, or a host adds up for it.
        least: slots that it cannot do without now: 1 if it runs on the switch, and no host could add up instead.
        priority: the one that its workers have set; 1 by default.
        hosted: a host adds up for it.
    """

    job: int
    wanted: int
    share: int = 0
    least: int = 0
    priority: int = 1
    hosted: bool = False


class Policy(Protocol):
    """Divides slots among jobs."""

    def shares(self, slots: int, demands: Sequence[Demand]) -> Sequence[int]:
        """Return each job's share, from its `least` to what it wants, and together at most `slots`.

        demands: in the order in which the jobs came. A job with a share of 0 is refused, waits in line, or moves to a
        host: as its workers have asked, and from a running job's slots always to the host.
        """


@dataclass(frozen=True)
class FirstCome:
    """A job gets what it wants, and keeps it. The first that does not fit, and all after it, wait."""

    def shares(self, slots: int, demands: Sequence[Demand]) -> Sequence[int]:
        left = slots - sum(each.share for each in demands)
        shares = []
        for each in demands:
            share = each.share
            if not share and not each.hosted:
                share = each.wanted if each.wanted <= left else 0
                left = left - share if share else 0
            shares.append(share)
        return shares


@dataclass(frozen=True)
class FixedShares:
    """Divides the switch into `parts` equal parts, one for each job, as if each job had its own switch."""

    parts: int = 4

    def __post_init__(self) -> None:
        if self.parts < 1:
            raise PolicyError("there is at least one part")

    def shares(self, slots: int, demands: Sequence[Demand]) -> Sequence[int]:
        held = sum(each.share > 0 for each in demands)
        shares = []
        for each in demands:
            share = each.share
            if not share and held < self.parts:
                share, held = min(each.wanted, slots // self.parts), held + 1
            shares.append(share)
        return shares


@dataclass(frozen=True)
class WeightedFair:
    """Slots in proportion to priorities; what a job does not want goes to the others in that proportion (max-min
    fairness)."""

    def shares(self, slots: int, demands: Sequence[Demand]) -> Sequence[int]:
        # One slot for each job while there are any; jobs on the switch come first.
        able = [at for at, each in enumerate(demands) if each.wanted]
        order = sorted(able, key=lambda at: (not demands[at].least, not demands[at].share, at))[:slots]
        shares = [0] * len(demands)
        for at in order:
            shares[at] = 1
        left = slots - len(order)
        while left and (open_ := [at for at in order if shares[at] < demands[at].wanted]):
            # The next slot goes to the job that has the least for its priority; among equals, to the first.
            at = min(open_, key=lambda at: (shares[at] / demands[at].priority, at))
            shares[at] += 1
            left -= 1
        return shares


@dataclass(frozen=True)
class Preemptive:
    """A job takes what it wants from jobs of lower priority, as in [ESA]; among equals, the first keeps its slots. Jobs
    that lose all their slots continue on a host, or with one slot."""

    def shares(self, slots: int, demands: Sequence[Demand]) -> Sequence[int]:
        order = sorted(range(len(demands)), key=lambda at: (-demands[at].priority, at))
        return _in_order(slots, demands, order)


@dataclass(frozen=True)
class BestEffort:
    """A job takes as many of the slots that are left as it can use, in order of arrival; those that find none go
    through a host until some are free, as packets do in [ATP]."""

    def shares(self, slots: int, demands: Sequence[Demand]) -> Sequence[int]:
        return _in_order(slots, demands, range(len(demands)))


def _in_order(slots: int, demands: Sequence[Demand], order: Sequence[int]) -> Sequence[int]:
    """Gives each job the least that it can do with; then, in this order, all that it wants or what is left."""
    shares = [each.least for each in demands]
    left = slots - sum(shares)
    for at in order:
        more = min(demands[at].wanted - shares[at], left)
        shares[at] += more
        left -= more
    return shares


POLICIES: Mapping[str, Callable[..., Policy]] = {
    "first-come": FirstCome,
    "fixed": FixedShares,
    "weighted-fair": WeightedFair,
    "priority": Preemptive,
    "best-effort": BestEffort,
}
"""By their names in options."""


def parse(text: str) -> Policy:
    """Makes the policy of an option: a name, such as `weighted-fair`, or `fixed:8` for 8 parts; or your own class, as
    `module:Class` or `file.py:Class`. Raises PolicyError if there is no such policy."""
    name, _, rest = text.partition(":")
    if name == "fixed" and rest:
        if not rest.isdecimal():
            raise PolicyError(f"{text!r}: fixed:N takes a number of parts")
        return FixedShares(int(rest))
    if name in POLICIES and not rest:
        return POLICIES[name]()
    if not rest:
        raise PolicyError(f"{text!r} is not a policy: choose {', '.join(POLICIES)}, or module:Class")
    # These are the user's own code.
    try:
        made: Policy = getattr(_module(name), rest)()
    except Exception as error:
        raise PolicyError(f"{text!r} is not a policy: {type(error).__name__}: {error}") from error
    if not callable(getattr(made, "shares", None)):
        raise PolicyError(f"{text!r} is not a policy: it has no method shares")
    return made


def _module(name: str) -> object:
    if not name.endswith(".py"):
        return import_module(name)
    spec = util.spec_from_file_location(Path(name).stem, name)
    if spec is None or spec.loader is None:
        raise ImportError(f"{name} is not a module")
    module = util.module_from_spec(spec)
    # Dataclasses look for their module there.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def shared(policy: Policy, slots: int, demands: Sequence[Demand]) -> list[int]:
    """Returns a policy's shares. Raises PolicyError if they are too many, or not what the jobs can have."""
    name = type(policy).__name__
    try:
        shares = [*map(index, policy.shares(slots, demands))]
    except Exception as error:
        raise PolicyError(f"{name}.shares: {type(error).__name__}: {error}") from error
    if len(shares) != len(demands):
        raise PolicyError(f"{name} has {len(shares)} shares for {len(demands)} jobs")
    for each, share in zip(demands, shares, strict=True):
        if not each.least <= share <= each.wanted:
            raise PolicyError(
                f"{name} gives {share} slots to job {each.job}, which needs {each.least} to {each.wanted}"
            )
    if sum(shares) > slots:
        raise PolicyError(f"{name} gives away {sum(shares)} slots of {slots}")
    return shares


def divided(policy: Policy, slots: int, demands: Mapping[str, Sequence[Demand]]) -> dict[int, int]:
    """Returns the share that each job has on all of its switches, which have `slots` slots each.

    demands: by switch. What a job cannot use there, because it has less on another one, goes to others.

    Raises:
        PolicyError: as `shared`.
    """
    while True:
        given = [each for here in demands.values() for each in zip(here, shared(policy, slots, here), strict=True)]
        least: dict[int, int] = {}
        for each, share in given:
            least[each.job] = min(share, least.get(each.job, share))
        torn = {each.job for each, share in given if share > least[each.job]}
        if not torn:
            return least
        demands = {
            switch: [_at_most(each, least[each.job]) if each.job in torn else each for each in here]
            for switch, here in demands.items()
        }


def _at_most(demand: Demand, wanted: int) -> Demand:
    return replace(demand, wanted=wanted, share=min(demand.share, wanted), least=min(demand.least, wanted))


@dataclass(frozen=True)
class Sharing:
    """The options of commands that divide slots among jobs."""

    policy: Annotated[
        str,
        JobOption(
            envvar="DROPZERO_POLICY",
            help=f"How jobs share the slots: {', '.join(POLICIES)}, fixed:N, or your own class as module:Class or "
            "file.py:Class.",
        ),
    ] = "first-come"
    slots: Annotated[int, JobOption(min=1, max=SLOTS, help="Slots of each switch that jobs may have.")] = SLOTS
