"""The folder of compiled programs: only this user's code is loaded from it, and its size is bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dropzero.native import code_cache
from dropzero.native.code_cache import Cache
from dropzero.softswitch.native.module import load_cached
from tests.ordinary_user import needs_users

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


def test_the_least_recently_used_programs_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache, "MOST_BYTES", 350)
    kept = Cache(tmp_path / "kept")
    for at, name in enumerate("abc"):
        kept.put(name, bytes(68))
        os.utime(tmp_path / "kept" / name, (at, at))
    assert kept.get("a") == bytes(68)
    kept.put("d", bytes(68))
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["a", "c", "d"]
