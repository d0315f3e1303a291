"""Jobs: their workers, epochs and slots. `Roster` runs the jobs on any `SwitchState`."""
