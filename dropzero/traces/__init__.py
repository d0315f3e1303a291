"""Reads captured packets: the scapy layer, captures, and the audit, which checks a run's sums."""
