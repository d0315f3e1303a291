"""Links that lose, delay, duplicate, reorder and corrupt packets, and limit their rate: `--impair`."""
