"""The worker's side: one packet under way per lane, the window over the lanes, the retransmission timer."""
