"""Reading the network's packets back: the scapy layer, captures, and the audit that checks a run's sums in them."""
