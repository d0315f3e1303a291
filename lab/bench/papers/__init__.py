"""The papers' curves, simulated and as published: `python -m lab.bench.papers`."""
