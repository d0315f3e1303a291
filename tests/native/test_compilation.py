"""Compiled functions: what they take and return, and that numba is only imported to compile."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from dropzero.compressors import in_process, quantizers
from dropzero.native import compilation
from dropzero.native.compilation import Compiled, compiled
from dropzero.native.intrinsics import external, intrinsic
from dropzero.protocol.wire import Width
from dropzero.simulator.kernel import switches
from dropzero.softswitch.ports.fast_path_code import fast_path
from tests.support import ROOT
from tests.test_house import MODULES

WORKER = """
import sys
import dropzero
from dropzero.worker.pump import rehearse
rehearse()
"""

COMPRESSORS = """
import sys
import numpy as np
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.spec import Spec
assert InProcessNetwork(2).all_reduce(np.ones((2, 64), np.float32)).tolist() == [2.0] * 64
for text in ("topk(0.1)+ef", "topk(0.1,block=32)+ef", "qsgd(15)", "gaussiank(0.1)+fixed8"):
    Spec.parse(text).sparsifier.compress(np.ones(128, np.float32), np.random.default_rng(0))
"""

SWITCH = """
import sys
from dropzero.native.compilation import entry_point
from dropzero.softswitch.engine import queue_code as queues
from dropzero.softswitch.ports.fast_path_code import fast_path
from dropzero.softswitch.ports.gso_code import coalesce, split
from dropzero.softswitch.ports.ring_code import deliver, rest, take
for function in (queues.enter, queues.depth, queues.serve, queues.settle, queues.discard):
    entry_point(function)
for function in (split, take, coalesce, deliver, rest, fast_path):
    entry_point(function)
"""

LINEAR_ALGEBRA = """
import dropzero.native.entry
assert "scipy.linalg" not in sys.modules, "which takes long to load, and nothing here needs"

import numba
import numpy as np

@numba.njit
def inverse(matrix):
    return np.linalg.inv(matrix) @ matrix

assert np.allclose(inverse(np.array([[1.0, 2.0], [3.0, 4.0]])), np.eye(2))
"""

LOADED = """
assert "numba" not in sys.modules, "which takes longer to import than all else"
"""


class Pair(NamedTuple):
    numbers: NDArray[Any]
    rest: tuple[int, NDArray[Any]]


popcount = intrinsic("uint64(uint64)")(lambda builder, word: builder.ctpop(word))
_labs = external("labs", "int64(int64)")


@compiled
def _contents(pair: Pair, flag: bool, factor: float, by_default: int = 7) -> float:
    total = by_default * factor
    if flag:
        total += 0.5
    for number in pair.numbers:
        total += number
    for number in pair.rest[1]:
        total += number * pair.rest[0]
    return total


@compiled
def _element(matrix: NDArray[Any], row: int, column: int) -> int:
    return int(matrix[row, column])


@compiled
def _shorter(number: np.uint32) -> bool:
    return bool(number < np.uint32(1 << 31))


@compiled
def _half(number: np.float32) -> float:
    return float(number / np.float32(2))


@compiled
def _name(width: Width) -> int:
    return 1 if width == Width.BITS_32 else 0


@compiled
def _write(array: NDArray[Any], value: int) -> None:
    array[:] = value


@compiled
def _quotient(one: int, other: int) -> int:
    return one // other


@compiled
def _bits(word: int) -> int:
    return int(popcount(np.uint64(word)) + _labs(-5))


@compiled
def _power(exponent: int) -> float:
    return float(np.ldexp(1.0, exponent))


def test_arguments_are_numbers_arrays_and_tuples_of_them() -> None:
    numbers, others = np.arange(4, dtype=np.float32), np.array([1, -2], np.int64)
    assert _contents(Pair(numbers, (10, others)), True, 2.0) == 14 + 0.5 + 6 - 10
    assert _contents(Pair(numbers.astype(np.int16), (10, others)), False, 2.0, 1) == 2 + 6 - 10


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint64, np.float32])
def test_arrays_of_any_type_and_layout_are_read_as_they_are(dtype: type[np.number[Any]]) -> None:
    matrix = np.arange(60, dtype=dtype).reshape(6, 10)
    for view in (matrix, matrix.T, matrix[::2, 1::3], matrix[::-1], np.asfortranarray(matrix)):
        assert [_element(view, *place) for place in np.ndindex(view.shape)] == view.astype(int).ravel().tolist()


def test_numbers_keep_their_types() -> None:
    assert _shorter(np.uint32(1))
    assert not _shorter(np.uint32(1 << 31))
    assert _half(np.float32(0.1)) == np.float32(0.1) / 2


def test_other_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="Python passes numbers, arrays and tuples to compiled code, and gets numbers"):
        _name(Width.BITS_32)


def test_nothing_is_returned_from_a_function_that_only_writes() -> None:
    array = np.zeros(3, np.uint8)
    assert _write(array, 300) is None
    assert array.tolist() == [300 % 256] * 3


def test_a_division_by_zero_is_no_error() -> None:
    assert (_quotient(7, 2), _quotient(-7, 2), _quotient(7, 0)) == (3, -4, 0)


def test_compiled_code_calls_instructions_and_the_c_library() -> None:
    assert _bits(0b1011) == 3 + 5
    with pytest.raises(TypeError, match="only compiled code can call this"):
        popcount(3)


def test_code_that_would_need_numba_to_run_is_refused() -> None:
    with pytest.raises(TypeError, match="_power would need numba to run: it calls numba_ldexp"):
        _power(3)


@pytest.mark.parametrize("program", [WORKER, COMPRESSORS, SWITCH])
def test_cached_code_runs_without_numba(program: str) -> None:
    for then in ("", LOADED):
        command = [sys.executable, "-c", program + then]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr


def test_programs_that_compile_linear_algebra_still_can() -> None:
    command = [sys.executable, "-c", "import sys" + LINEAR_ALGEBRA]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_processes_that_fill_an_empty_cache_together_compile_the_same(tmp_path: Path) -> None:
    program = "import numpy as np; from dropzero.compressors.vectors import _squared_norm; "
    program += "assert _squared_norm(np.full(9, 2, np.float32)) == 36; assert _squared_norm(np.ones(9)) == 9"
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    processes = [subprocess.Popen([sys.executable, "-c", program], env=environment) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert len(list((tmp_path / "dropzero").iterdir())) == 2


def test_numba_is_imported_only_to_compile() -> None:
    """Each module that imports it takes as long to import."""
    found = set()
    for path in MODULES.values():
        for node in ast.parse(path.read_text()).body:
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "numba" for name in names):
                found.add(path.relative_to(ROOT).as_posix())
    assert not found


def _digest(function: object) -> str:
    assert isinstance(function, Compiled)
    compilation._digest.cache_clear()
    return function.sources()


@pytest.mark.parametrize(
    ("function", "module"),
    [
        (in_process._add, "dropzero.protocol.tensor.fixedpoint"),
        (quantizers._round, "dropzero.protocol.tensor.fixedpoint"),
        # It contains constants of the switch's packets in queues.
        (switches.handle, "dropzero.softswitch.compiler.forwarding.queued_packets"),
        (fast_path, "dropzero.softswitch.ports.ring_code"),
        (fast_path, "dropzero.native.memory"),
    ],
)
def test_code_is_compiled_again_when_a_module_in_another_package_changes(function: object, module: str) -> None:
    before = _digest(function)
    assert _digest(function) == before
    changed = MODULES[module].resolve()
    read = type(changed).read_bytes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(changed), "read_bytes", lambda path: read(path) + b"#" * (path.resolve() == changed))
        assert _digest(function) != before
    assert _digest(function) == before
