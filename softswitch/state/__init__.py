"""The state that outlives a packet (registers, counters, groups, ...; `tables/`), in arrays shared with native code."""
