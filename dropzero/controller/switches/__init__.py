"""The tables of one switch, or of a tree of switches: `SwitchManager` is the `SwitchState` of real switches."""
