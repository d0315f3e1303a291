"""Compressed sums: sparsifiers, quantizers, memories and schedules, by a one-line spec; no network of its own."""
