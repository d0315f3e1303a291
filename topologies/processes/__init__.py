"""Child processes that never outlive their run: start, identify, signal, stop; and how a run can fail."""
