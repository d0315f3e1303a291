"""State that outlives a packet (tables, registers, counters, meters, groups), in arrays shared with native code."""
