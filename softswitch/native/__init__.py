"""Machine code at run time: what LLVM assembly is written with, or made of, and `load_cached`, which compiles it."""
