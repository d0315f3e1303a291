"""Simulations whose workers all get the exact sums."""

from __future__ import annotations

from dropzero.simulator.simulation import Plan, Result, Simulation


def run(plan: Plan) -> Result:
    result = Simulation(plan).run()
    assert result.exact
    return result
