"""Real processes on an emulated rack, random faults, and a checker that knows what every result must be."""
