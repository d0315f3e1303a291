"""The kernel's ABI as numpy types and small objects: message vectors, wakeup pipes, timers, the limit of open files.

The switch and the workers share it; it imports nothing of Dropzero.
"""
