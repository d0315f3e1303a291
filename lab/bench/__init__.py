"""Measurements, each a command: `python -m lab.bench.switch`, `lab.bench.latency`, and so on."""
