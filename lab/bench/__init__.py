"""Measurements, each a command: `python -m bench.switch`, `bench.latency`, and so on."""
