"""Random faults for real processes on emulated racks, and a check of every result: `python -m lab.chaos`."""
