"""Asks a switch everything that a P4Runtime client may ask, and compares its answers with those of BMv2."""
