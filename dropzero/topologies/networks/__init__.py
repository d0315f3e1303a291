"""Mininet networks of P4 switches: hosts, links, switches, and the shapes `Rack`, `Racks` and `Described`."""
