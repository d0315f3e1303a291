"""Compiles the path of a packet through the whole switch, as native functions over batches of packets."""
