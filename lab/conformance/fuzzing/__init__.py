"""Random packets and P4Runtime requests, compared between two switches."""
