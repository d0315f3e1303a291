"""Which workers are in which job, epoch and slots: `Roster` runs the jobs on any `SwitchState`."""
