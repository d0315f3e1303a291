"""Side effects of compiling on the rest of Python."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dropzero.compressors import in_process, quantizers
from dropzero.protocol.native import compilation
from dropzero.simulator import switches
from dropzero.worker.pump import rehearse
from tests.test_house import MODULES, ROOT, imports

WORKER = """
import sys
from dropzero.worker.pump import rehearse
rehearse()
"""

LINEAR_ALGEBRA = """
assert "scipy.linalg" not in sys.modules, "which takes long to load, and nothing here needs"

import numba
import numpy as np

@numba.njit
def inverse(matrix):
    return np.linalg.inv(matrix) @ matrix

assert np.allclose(inverse(np.array([[1.0, 2.0], [3.0, 4.0]])), np.eye(2))
"""

LOADED = """
assert "numba.np.npyimpl" not in sys.modules, "which numba loads to compile"
"""

ALLOCATING = """
import sys
import numpy as np
from dropzero.compressors.in_process import InProcessNetwork
assert InProcessNetwork(2).all_reduce(np.ones((2, 64), np.float32)).tolist() == [2.0] * 64
"""

SLICING = """
import numpy as np
from dropzero.protocol.wire import PACKET_ELEMENTS
from dropzero.worker.blocks import _count
_count(np.ones(2, np.uint64), 0, np.zeros(PACKET_ELEMENTS, np.int32), 64, 9)
"""

NORM = """
import sys
import numpy as np
from dropzero.compressors.vectors import _squared_norm
_squared_norm(np.ones(9, sys.argv[1]))
"""


def test_programs_that_compile_linear_algebra_still_can() -> None:
    ended = subprocess.run([sys.executable, "-c", WORKER + LINEAR_ALGEBRA], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_cached_code_is_loaded_without_the_compiler() -> None:
    rehearse()
    ended = subprocess.run([sys.executable, "-c", WORKER + LOADED], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_code_that_allocates_also_runs_from_the_cache_and_without_the_compiler() -> None:
    for program in (ALLOCATING, ALLOCATING + LOADED):
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("kinds", [("float32", "int64"), ("float32", "float32")])
def test_processes_that_fill_an_empty_cache_together_write_no_file_with_two_contents(
    tmp_path: Path, kinds: tuple[str, str]
) -> None:
    """As if neither had found the other's files: each has its own folder here."""
    written = []
    for at, kind in enumerate(kinds):
        folder = tmp_path / str(at)
        program = [sys.executable, "-c", NORM, kind]
        subprocess.run(program, env=os.environ | {"NUMBA_CACHE_DIR": str(folder)}, check=True)
        written.append({path.relative_to(folder) for path in folder.rglob("*") if path.is_file()})
    assert written[0]
    assert (written[0] == written[1]) if kinds[0] == kinds[1] else written[0].isdisjoint(written[1])


def test_code_of_changed_sources_replaces_the_cached_code(tmp_path: Path) -> None:
    files, other = (compilation._Files(str(tmp_path), name, "") for name in ("a-5", "all-9"))  # type: ignore[no-untyped-call]
    old, new = files._version, f"{files._version} changed"
    other.save("float32", "another function")
    for files._version, key in [(old, "float32"), (old, "int32"), (new, "float32"), (new, "int32")]:
        files.save(key, f"{files._version} {key}")
    assert len(list(tmp_path.iterdir())) == 3
    assert [files.load(key) for key in ("float32", "int32", "int64")] == [f"{new} float32", f"{new} int32", None]
    assert other.load("float32") == "another function"


def test_the_workers_code_does_not_depend_on_what_was_compiled_before(tmp_path: Path) -> None:
    """Code that allocates counts references. What both include of numba's own library must not, in workers' code:
    another process loads that without numba's runtime. Both include slices of arrays."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    for program in (ALLOCATING + SLICING, SLICING):
        ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=False)
        assert (ended.returncode, ended.stderr) == (0, b"")


def test_all_compiled_functions_use_this_module() -> None:
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
def test_code_is_recompiled_when_a_function_in_another_package_changes(function: object) -> None:
    """Both include protocol.tensor.fixedpoint's functions; the cache's version has a digest of all those modules."""
    assert "dropzero.protocol.tensor.fixedpoint" in imports()[function.__module__]
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


def test_the_simulators_code_is_recompiled_when_the_switch_changes() -> None:
    """It contains constants of the switch's packets in queues."""
    rooms = (MODULES["dropzero.simulator.switches"].parent, MODULES["dropzero.softswitch.cli"].parent)
    version = switches.handle._cache._cache_file._version  # type: ignore[attr-defined]
    assert compilation._sources(*(room.resolve() for room in rooms)) in version
