"""Machine code at run time: what LLVM assembly is written with, by hand or by numba, and `load_cached`, which compiles and
loads it."""
