"""Compiles a `Program` to machine code that runs batches of packets through parser, tables, actions and deparser."""
