"""The kernel's ABI as numpy types and small objects: message vectors, wakeup pipes, timers, the limit of open files,
what interfaces have sent.

The switch, the workers and runs share it; it imports nothing of Dropzero.
"""
