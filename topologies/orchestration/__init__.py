"""A whole training run on an emulated network, from nothing to its summary: `run(plan, console)`."""
