"""Machine code at run time: what LLVM assembly is written with, or made of Python, and `load_cached`, which compiles and
loads it."""
