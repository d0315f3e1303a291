"""Interfaces to the Linux kernel: message vectors, wakeup pipes, timers, the limit of open files, network interfaces
and namespaces, rings in shared memory.

The switch, the workers and runs share it; it imports nothing else of Dropzero.
"""
