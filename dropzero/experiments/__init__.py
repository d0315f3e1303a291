"""The claims of papers as experiments: trials in process and on an emulated rack, verdicts and a report."""
