"""Machine code at run time: what LLVM assembly is written with, or from Python, and `load_cached`, which compiles it."""
