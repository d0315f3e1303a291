"""One network under test, and crews of workers that make its jobs' calls."""
