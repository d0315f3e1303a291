"""The tables of one switch or a tree of them: `SwitchManager` is the `SwitchState` of real switches."""
