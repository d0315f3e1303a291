"""Emulated racks to measure schemes on: `Testbed.measure(scheme, cases)`."""
