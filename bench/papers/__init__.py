"""The papers' curves, simulated beside what they published: `python -m bench.papers`."""
