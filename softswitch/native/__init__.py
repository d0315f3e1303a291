"""Machine code at run time: helpers that write LLVM assembly, or have numba write it, and `load_cached`, which compiles
and loads it."""
