"""The cache of compiled code."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from softswitch.native import load_cached

ASSEMBLY = "define i32 @answer() { ret i32 42 }"


class Compiler:
    """Says how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> str:
        self.asked += 1
        return ASSEMBLY


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "dropzero"


def answer(key: str, compiler: Compiler) -> int:
    module = load_cached(key, compiler)
    return int(ctypes.CFUNCTYPE(ctypes.c_int32)(module.address("answer"))())


def test_code_is_compiled_once(folder: Path) -> None:
    compiler = Compiler()
    assert [answer("a", compiler), answer("a", compiler)] == [42, 42]
    assert compiler.asked == 1
    assert answer("b", compiler) == 42
    assert compiler.asked == 2
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("damage", [b"", b"\0" * 100, b"\x7fELF"])
def test_a_damaged_cache_only_costs_the_time_to_compile(folder: Path, damage: bytes) -> None:
    compiler = Compiler()
    answer("a", compiler)
    (path,) = folder.iterdir()
    path.write_bytes(damage)
    assert answer("a", compiler) == 42
    path.write_bytes(path.read_bytes()[:-1])
    assert answer("a", compiler) == 42
    assert compiler.asked == 3
    assert answer("a", compiler) == 42
    assert compiler.asked == 3


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    compiler = Compiler()
    assert [answer("a", compiler), answer("a", compiler)] == [42, 42]
    assert compiler.asked == 2
