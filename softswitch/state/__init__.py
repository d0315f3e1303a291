"""What outlives a packet: tables, registers, counters, meters, groups, in arrays shared with the compiled program."""
