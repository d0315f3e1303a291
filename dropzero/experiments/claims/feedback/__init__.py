"""Claims about sparsifiers and error feedback: top-k, GaussianK, DGC, gTop-k, blocks, and training with quantizers."""
