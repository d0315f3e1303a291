"""Side effects of compiling on the rest of Python."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from dropzero.compressors import in_process, quantizers
from dropzero.protocol.native import compilation
from dropzero.worker.pump import rehearse
from tests.test_house import IMPORTS, MODULES, ROOT

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

ALLOCATING = """
import numpy as np
from dropzero.compressors.in_process import InProcessNetwork
assert InProcessNetwork(2).all_reduce(np.ones((2, 64), np.float32)).tolist() == [2.0] * 64
"""


def test_programs_that_compile_linear_algebra_still_can() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_code_in_the_cache_is_loaded_without_what_compiles_it() -> None:
    rehearse()
    ended = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_code_that_allocates_runs_from_the_cache_as_well() -> None:
    for _ in range(2):
        ended = subprocess.run([sys.executable, "-c", ALLOCATING], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (0, "")


def test_all_code_is_compiled_here() -> None:
    """numba's own cache is that of a function's module: it keeps code of functions that it includes from others. The
    switch's has another cache."""
    found = set()
    for path in MODULES.values():
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(node, "attr", None) if isinstance(node, ast.Attribute) else getattr(node, "name", None)
            if isinstance(node, ast.alias | ast.Attribute) and name in ("njit", "jit"):
                found.add(path.relative_to(ROOT).as_posix())
    assert found == {"protocol/native/compilation.py", "softswitch/native/functions.py"}


@pytest.mark.parametrize("function", [in_process._add, quantizers._round])
def test_code_is_made_anew_when_a_function_of_another_room_changes(function: object) -> None:
    """Both include protocol.tensor.fixedpoint's functions; the cache's version has a digest of all those modules."""
    assert "dropzero.protocol.tensor.fixedpoint" in IMPORTS[function.__module__]
    room = MODULES[function.__module__].parent.resolve()
    digest = compilation._sources(room)
    assert digest in function._cache._cache_file._version  # type: ignore[attr-defined]
    compilation._sources.cache_clear()
    changed = MODULES["dropzero.protocol.tensor.fixedpoint"].resolve()
    read = type(changed).read_bytes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(changed), "read_bytes", lambda path: read(path) + b"#" * (path.resolve() == changed))
        assert compilation._sources(room) != digest
    compilation._sources.cache_clear()
