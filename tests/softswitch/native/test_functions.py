"""Python functions that become native code."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dropzero.softswitch.engine import queues
from dropzero.softswitch.native.functions import array_at, assembly, call_at, compiled, int64, memmove, struct_at
from dropzero.softswitch.native.module import assembly_of, load_cached
from dropzero.softswitch.ports import gso
from dropzero.softswitch.program.model import UnsupportedProgram

PAIR = np.dtype([("small", "u1"), ("large", "u8")])
BYTES = PAIR.itemsize
PORTS_CALL = {"poll", "read", "write", "recvmmsg", "sendmmsg", "writev", "clock_gettime", "sched_yield"}
PORTS_CALL |= {"__errno_location"}
QUEUES_CALL = {"malloc", "free"}
PORTS_CALL = {
    "poll",
    "read",
    "write",
    "recvmmsg",
    "sendmmsg",
    "clock_gettime",
    "sched_yield",
    "writev",
    "__errno_location",
}


@compiled
def large_sum(at: int, count: int) -> int:
    total = 0
    for number in range(count):
        total += int64(struct_at(at, PAIR, number).large)
        struct_at(at, PAIR, number).small = number
    return total


@compiled
def moved_sum(at: int, count: int, function: int) -> int:
    """function: the address of large_sum."""
    memmove(at + BYTES, at, BYTES * (count - 1))
    return int(call_at(function, (at, count)) + array_at(at + BYTES * count, np.int32)[1])


def test_functions_read_and_write_memory_and_call_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module = load_cached("test", lambda: assembly(large_sum, moved_sum))
    pairs = np.array([(0, 10), (0, 200), (0, 3000), (0, 0)], PAIR)
    memory = np.concatenate([pairs.view(np.uint8), np.array([7, 60_000], np.int32).view(np.uint8)])
    word = ctypes.c_int64
    moved = ctypes.CFUNCTYPE(word, word, word, word)(module.address("moved_sum"))
    assert moved(memory.ctypes.data, 4, module.address("large_sum")) == 10 + 10 + 200 + 3000 + 60_000
    assert memory[: pairs.nbytes].view(PAIR).tolist() == [(0, 10), (1, 10), (2, 200), (3, 3000)]


@pytest.mark.parametrize(("written", "calls"), [(gso, PORTS_CALL), (queues, QUEUES_CALL)], ids=["ports", "queues"])
def test_the_switchs_own_code_calls_nothing_of_numba_and_has_no_floats(written: Any, calls: set[str]) -> None:
    """The switch loads it without numba. numba makes floats of sums of signed and unsigned numbers."""
    text = written.CODE.written.read_text()
    outside = {name for name in re.findall(r"^declare .*@\"?([\w.]+)\"?\(", text, re.M) if not name.startswith("llvm.")}
    assert outside == calls
    assert "double" not in text


@pytest.mark.parametrize("written", [gso, queues], ids=["ports", "queues"])
def test_the_committed_assembly_is_compiled_from_these_sources(written: Any, tmp_path: Path) -> None:
    """Otherwise run `python -m dropzero.softswitch.ports.fast_path_code >softswitch/ports/fast_path.ll`, or `python -m
    dropzero.softswitch.engine.queue_code >softswitch/engine/queues.ll`."""
    made = assembly_of(written.CODE.module, tmp_path / "nothing.ll", written.CODE.sources)
    committed = written.CODE.written.read_text()
    (first, by, *kept), (now, mine, *expected) = committed.splitlines(), made.splitlines()
    assert first.rpartition(" ")[2] == now.rpartition(" ")[2]
    if first != now:
        pytest.skip("the assembly is committed for another LLVM or architecture: numba writes it when a switch starts")
    if by != mine:
        pytest.skip(f"the assembly was {by.removeprefix('; ')}, which numbers its values differently")
    assert kept == expected


def test_a_module_that_numba_does_not_compile_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedProgram, match=r"^numba does not compile dropzero\.nothing$"):
        assembly_of("dropzero.nothing", tmp_path / "nothing.ll", [])
