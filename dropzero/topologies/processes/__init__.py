"""Child processes that never outlive their run: starts, identifies, signals and stops them. The errors of a run."""
