"""Fewer packets for the same step: each stands for several, which travel together.

Sizes, rates, and all that counts packets (lanes, queues, marks) are divided by a factor. So a tensor takes as long to
pass a link, and as many round trips, as before. A packet takes longer to pass a link, and the links' delays are shorter
by that.
"""

from __future__ import annotations

from dataclasses import replace

from dropzero.simulator.formulas import Scheme
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.kernel.state import HEADERS, MAX_FRAME, SEGMENT_BYTES
from dropzero.simulator.simulation import Plan
from dropzero.simulator.target import SwitchTarget
from dropzero.simulator.training.trace import Trace
from dropzero.softswitch.engine.wire import SECOND


def coarser(plan: Plan, factor: int) -> Plan:
    """Returns the plan of a network whose packets stand for `factor` of `plan`'s. Raises ValueError if the single
    packet matters, or takes longer than a link's delay."""
    if factor == 1:
        return plan
    quality = plan.quality
    if plan.density < 1 or quality.loss or quality.duplicate or quality.reorder:
        raise ValueError("packets can only stand for several if tensors are dense and links lose and reorder nothing")
    if plan.target is not SwitchTarget.V1MODEL:
        raise ValueError(f"packets cannot stand for several on {plan.target}, which marks none")
    longest = MAX_FRAME if plan.scheme is Scheme.DROPZERO else HEADERS + SEGMENT_BYTES
    lanes = plan.lanes_for(1)
    most, domain = min(lanes, _most(quality, longest)), plan.domain
    if domain is not None:
        most = min(most, _most(domain.quality, HEADERS + SEGMENT_BYTES))
        domain = replace(domain, quality=_coarser(domain.quality, factor, HEADERS + SEGMENT_BYTES))
    if factor > most:
        raise ValueError(f"on these links and with {lanes} lanes, a packet can stand for {most} at most")
    return replace(
        plan,
        quality=_coarser(quality, factor, longest),
        domain=domain,
        lanes=plan.lanes and plan.lanes // factor,
        queue=max(1, plan.queue // factor),
        mark_from=round(plan.marking / factor),
        cost=plan.cost * factor,
        coarse=factor,
    )


def _most(quality: Quality, longest: int) -> int:
    """How many packets one can stand for, so that it takes no longer than the link's delay more."""
    return 1 + int(quality.delay / _span(longest, quality))


def _coarser(quality: Quality, factor: int, longest: int) -> Quality:
    """The links on which a packet that stands for `factor` of `longest` bytes takes as long as one did."""
    delay = quality.delay - round((factor - 1) * _span(longest, quality))
    return replace(quality, rate=quality.rate // factor, delay=delay)


def _span(longest: int, quality: Quality) -> float:
    """Nanoseconds that a packet takes to pass a link."""
    return 8 * longest * SECOND / quality.rate


def smaller(trace: Trace, factor: int) -> Trace:
    """Returns the trace with sizes divided by `factor`."""
    return Trace([replace(node, size=-(-node.size // factor)) for node in trace.nodes])
