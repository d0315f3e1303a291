"""State that outlives a packet (registers, counters, groups, ...), in arrays shared with native code."""
