"""Side effects of compiling on the rest of Python."""

from __future__ import annotations

import subprocess
import sys

from dropzero.worker.pump import rehearse

PROGRAM = """
import sys
from dropzero.worker.pump import rehearse
rehearse()
assert "scipy.linalg" not in sys.modules, "which takes long to load, and nothing here needs"

import numba
import numpy as np

@numba.njit
def inverse(matrix):
    return np.linalg.inv(matrix) @ matrix

assert np.allclose(inverse(np.array([[1.0, 2.0], [3.0, 4.0]])), np.eye(2))
"""

LOADED = """
import sys
from dropzero.worker.pump import rehearse
rehearse()
assert "numba.np.npyimpl" not in sys.modules, "which numba loads to compile"
"""


def test_programs_that_compile_linear_algebra_still_can() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_code_in_the_cache_is_loaded_without_what_compiles_it() -> None:
    rehearse()
    ended = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
