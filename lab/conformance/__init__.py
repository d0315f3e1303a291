"""Runs other projects' test suites against the embedded switch, and compares the results with those expected."""
