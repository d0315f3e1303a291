"""Tools for faults: connections that can be cut, a disk that can be filled, a wrong clock, forged packets."""
