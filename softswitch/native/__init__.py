"""Machine code at run time: helpers that write LLVM assembly, and `load_cached`, which compiles and loads it."""
