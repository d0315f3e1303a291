"""Other projects' suites, one module each: p4c's driver, finsy, p4-guide, p4lang's tutorials, Stratum, PyTorch."""
