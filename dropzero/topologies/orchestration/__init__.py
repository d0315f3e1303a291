"""A whole training run on an emulated network, from start-up to its summary: `run(plan, console)`."""
