"""The papers' curves, simulated and as published: `python -m bench.papers`."""
