"""What all suites share: switch processes to test, and scorecards of the results."""
