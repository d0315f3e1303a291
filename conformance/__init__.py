"""Scorecards: suites that others wrote, run against the embedded switch and compared with what is expected of it."""
