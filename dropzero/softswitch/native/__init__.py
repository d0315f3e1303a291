"""P4 programs as machine code: helpers that write LLVM assembly, and `load_cached`, which compiles and loads it."""
