"""Compiles a `Program` to machine code that takes batches of packets through parser, controls, queues and deparser."""
