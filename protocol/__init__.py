"""The protocol: its wire format, the worker's side of it, and a reference model of the switch's side. No I/O, no clock."""
