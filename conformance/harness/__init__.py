"""Shared by all suites: switch processes to test, and scorecards of the results."""
