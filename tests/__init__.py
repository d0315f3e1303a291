"""The tests, in the folders of what they test."""

import os
from contextlib import suppress

from dropzero.linux import rootless

# Before NumPy is imported. With several threads, OpenBLAS would spin for a tenth of a second in each process that the
# tests start; and where processes share the processors, the threads of one product wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Before this process has threads. Where an ordinary user may not have namespaces, tests of networks are skipped.
with suppress(rootless.RefusedError):
    rootless.enter()
# Tests look at pages from inside.
rootless.outside = None
