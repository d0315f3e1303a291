"""Compiles hot code (`compiled`) and passes it arrays by address (`Handle`)."""
