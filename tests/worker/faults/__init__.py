"""Workers that are killed, stopped, late or interrupted, over real networks and in virtual time."""
