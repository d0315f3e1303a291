"""The tests, in the folders of what they test."""

import os

# Before NumPy is imported. With several threads, OpenBLAS would spin for a tenth of a second in each process that the
# tests start; and where processes share the processors, the threads of one product wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
