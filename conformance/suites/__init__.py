"""Other projects' suites with their own launchers: finsy, p4-guide, the P4 tutorials."""
