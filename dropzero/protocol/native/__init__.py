"""Compiles hot code with numba (`compiled`), runs it without, and passes it arrays by address (`Handle`)."""
