"""Tensors: arrays to reduce, bitmaps of their non-zero granules, and the elements' format on the wire."""
