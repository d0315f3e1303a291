"""Puts the switch program on switches, and lets workers join jobs there; each room below does one part of that."""
