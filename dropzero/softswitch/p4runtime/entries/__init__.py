"""Reads and writes P4Runtime entities: one module for each kind, `entities` to find it, `batch` for requests."""
