"""All-reduces in virtual time, each simulated once."""

from __future__ import annotations

from functools import cache

from dropzero.simulator.collectives.simulation import simulation
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan, Result

GIGABIT = 10**9
DELAY = 1000
"""The delay of a link, nanoseconds."""


def links(gigabits: int, loss: float = 0.0) -> Quality:
    """Return links of a rate in Gbit/s."""
    return Quality(gigabits * GIGABIT, DELAY, loss)


@cache
def run(plan: Plan) -> Result:
    """Simulate a plan.

    Raises:
        RuntimeError: a sum is wrong.
        SimulationError: it does not end.
    """
    return checked(simulation(plan).run())


def checked(result: Result) -> Result:
    """Raise RuntimeError if a sum is wrong."""
    if not result.exact:
        raise RuntimeError(f"a wrong sum: {result}")
    return result
