"""Packets in and out: interfaces, captures, and the loop that runs packets through the engine."""
