"""Machine code at run time: what LLVM assembly is written with, and `load_cached`, which compiles and loads it."""
