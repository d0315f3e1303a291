"""A P4Runtime client that uses the P4 program's names: `Device` is one switch; it raises `SwitchError`."""
