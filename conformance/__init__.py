"""Other projects' test suites, run against the embedded switch and compared with what is expected of it."""
