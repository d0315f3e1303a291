"""A P4Runtime client that uses the P4 program's names instead of ids: a `Device` is one switch."""
