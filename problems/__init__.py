"""What is optimized: convex problems with a known optimum, and models with data to train by name."""
