"""What a collective reduces: arrays, a bitmap of what is non-zero, and elements as they travel."""
