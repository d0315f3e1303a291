"""Packets in and out: interfaces, captures, impaired links, and the loop that runs packets through the engine."""
