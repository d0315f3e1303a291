"""Reads and writes P4Runtime entities: a module for each kind, `entities` to find it, and `batch` for requests."""
