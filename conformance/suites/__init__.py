"""Other projects' suites, run by their own launchers: finsy, p4-guide, the P4 tutorials."""
