"""Compiles a `Program` to machine code that runs batches of packets through parser, controls, queues and deparser."""
