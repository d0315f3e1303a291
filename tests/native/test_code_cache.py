"""The folder of compiled programs: only this user's code is loaded from it, and its size is bounded."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from dropzero.native import code_cache
from dropzero.native.code_cache import Cache
from dropzero.softswitch.native.module import load_cached
from tests.support.ordinary_user import needs_users

ASSEMBLY = "define i32 @answer() { ret i32 42 }"
NOBODY = 65534


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder with one compiled program."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    load_cached("key", lambda: ASSEMBLY)
    return tmp_path / "dropzero"


def compilations() -> int:
    """Loads the program. Returns how often it was compiled: 0 if it came from the cache."""
    calls = []
    load_cached("key", lambda: calls.append(1) or ASSEMBLY)  # type: ignore[func-returns-value]
    return len(calls)


def test_other_users_cannot_read_the_folder(folder: Path) -> None:
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    assert compilations() == 0
    assert folder.stat().st_mode & 0o777 == 0o700


def test_without_a_home_code_is_compiled_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    assert [compilations(), compilations()] == [1, 1]


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_that_other_users_can_write_to_is_not_used(folder: Path, mode: int) -> None:
    folder.chmod(mode)
    assert [compilations(), compilations()] == [1, 1]


@needs_users
def test_a_folder_of_another_user_is_not_used(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.chown(folder, NOBODY, NOBODY)
    assert [compilations(), compilations()] == [1, 1]
    assert f"{folder} is not this user's alone" in caplog.text


@needs_users
def test_a_file_of_another_user_is_not_used(folder: Path) -> None:
    (file,) = folder.iterdir()
    os.chown(file, NOBODY, NOBODY)
    assert [compilations(), compilations()] == [1, 0]


def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (file,) = folder.iterdir()
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert compilations() == 1


def test_code_compiled_for_one_program_is_not_used_for_another(tmp_path: Path) -> None:
    kept = Cache(tmp_path)
    tmp_path.chmod(0o700)
    kept.put("one", b"code")
    (tmp_path / "one").rename(tmp_path / "other")
    assert kept.get("other") is None


def test_code_that_many_store_at_once_is_kept_without_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """While one adds up the sizes of all files, others rename theirs."""
    kept = Cache(tmp_path / "code")
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda number: kept.put(f"program {number % 16}", b"code"), range(2000)):
            pass
    assert not caplog.messages
    assert kept.get("program 15") == b"code"


COMPILING = """
import sys, time
from pathlib import Path
from dropzero.softswitch.native.module import load_cached

def assembly():
    with open("compiled", "a") as file:
        file.write("once\\n")
    print("compiling", flush=True)
    sys.stdin.readline()
    return "define i32 @answer() { ret i32 42 }"

load_cached("key", assembly)
print("loaded", flush=True)
"""
"""Loads a program. Compiles it, if that is needed, when it reads a line."""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts a process that loads a program, with its warnings in its output."""
    with ExitStack() as stack:

        def started() -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-c", COMPILING],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                cwd=tmp_path,
                env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
            )
            stack.callback(process.communicate)
            stack.callback(process.kill)
            return process

        yield started


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_of_processes_that_start_at_once_one_compiles_and_the_others_wait_and_say_so(
    tmp_path: Path, start: Callable[[], subprocess.Popen[str]]
) -> None:
    first = start()
    assert said(first) == "compiling"
    others = [start() for _ in range(3)]
    for process in others:
        assert said(process) == f"Waiting for process {first.pid}, which compiles the same code"
    for process in (first, *others):
        assert process.communicate("\n")[0] == "loaded\n"
    assert (tmp_path / "compiled").read_text() == "once\n"
    # The lock is gone, too.
    assert len(list((tmp_path / "dropzero").iterdir())) == 1


def test_if_the_process_that_compiles_dies_another_one_does_it(
    tmp_path: Path, start: Callable[[], subprocess.Popen[str]]
) -> None:
    first = start()
    assert said(first) == "compiling"
    second = start()
    assert "Waiting" in said(second)
    first.kill()
    assert said(second) == "compiling"
    third = start()
    assert said(third) == f"Waiting for process {second.pid}, which compiles the same code"
    for process in (second, third):
        assert process.communicate("\n")[0] == "loaded\n"


def test_processes_without_a_cache_do_not_wait_and_say_so_once(
    tmp_path: Path, start: Callable[[], subprocess.Popen[str]]
) -> None:
    (tmp_path / "dropzero").touch()
    processes = [start() for _ in range(2)]
    for process in processes:
        assert said(process).startswith("Compiled code cannot be kept, so every process compiles it")
        assert said(process) == "compiling"
    for process in processes:
        assert process.communicate("\n")[0] == "loaded\n"


def test_the_least_recently_used_programs_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache, "MOST_BYTES", 350)
    kept = Cache(tmp_path / "kept")
    for at, name in enumerate("abc"):
        kept.put(name, bytes(68))
        os.utime(tmp_path / "kept" / name, (at, at))
    assert kept.get("a") == bytes(68)
    kept.put("d", bytes(68))
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["a", "c", "d"]
