"""What experiments are made of: what a claim and its trials are, and what trials measure."""
