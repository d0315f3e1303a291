"""`dropzero worker`: data-parallel SGD on the digits, over any network that adds gradients."""
