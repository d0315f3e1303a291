"""Machine code at run time: helpers that write LLVM assembly, by hand or with numba, and `load_cached`, which compiles
and loads it."""
