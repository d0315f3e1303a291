"""Compression of gradients: sparsifiers, quantizers, their memories, and specifications such as topk(0.1)+ef."""
