"""The protocol: its wire format, the worker's side, and a reference model of the switch's side. No I/O, no clock."""
