"""The worker's side: lanes with one packet in flight each, the window over the lanes, the retransmission timer."""
