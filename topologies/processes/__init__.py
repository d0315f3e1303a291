"""Child processes that never outlive their run: start, identify, signal and stop them; the errors of a run."""
