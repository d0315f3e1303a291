"""One network under test, and the crews of workers that keep it busy."""
