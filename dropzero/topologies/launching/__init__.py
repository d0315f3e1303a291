"""Users' own programs on all hosts of a network: `launch(plan, command, console)`."""
