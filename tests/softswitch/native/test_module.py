"""The cache of compiled code."""

from __future__ import annotations

import ctypes
import gc
import os
import select
import shutil
import subprocess
import sys
import time
import weakref
from itertools import pairwise
from pathlib import Path

import grpc
import pytest

from dropzero.native.machine_code import digest_of_sources
from dropzero.softswitch.compiler.forwarding.forwarding import ForwardingCode
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.native import compiler_process
from dropzero.softswitch.native import module as native
from dropzero.softswitch.native.module import load_cached
from dropzero.softswitch.p4runtime.device import Device
from dropzero.softswitch.program.model import UnsupportedProgram
from lab.conformance.harness.switches import resident
from tests.support.p4runtime_client import SECONDS, Client, Set, config, kinds, station
from tests.support.p4runtime_client import answer as refused

SOURCES = Path(native.__file__).parents[1]
ASSEMBLY = "define i32 @answer() { ret i32 42 }"
FATAL = """
declare void @llvm.amdgcn.s.barrier()
define void @process() { call void @llvm.amdgcn.s.barrier() ret void }
"""
"""No CPU that runs this has this instruction, so LLVM aborts."""


class Compiler:
    """Counts its calls."""

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


def test_loaded_code_is_shared_and_unloaded_after_its_last_use(folder: Path) -> None:
    compiler = Compiler()
    module = load_cached("a", compiler)
    assert load_cached("a", compiler) is module
    gone = weakref.ref(module)
    del module
    assert gone() is None
    assert answer("a", compiler) == 42
    assert compiler.asked == 1


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


def test_a_cache_that_cannot_be_written_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    compiler = Compiler()
    assert [answer("a", compiler), answer("a", compiler)] == [42, 42]
    assert compiler.asked == 2


@pytest.mark.parametrize(
    ("assembly", "reason"),
    [
        (FATAL, r"LLVM ERROR: Cannot select.* \(SIGABRT\)"),
        ("define nonsense", r"LLVM IR parsing error \(status 1\)"),
    ],
)
def test_assembly_that_llvm_rejects_is_refused(folder: Path, assembly: str, reason: str) -> None:
    with pytest.raises(UnsupportedProgram, match=f"^LLVM does not compile it: {reason}$"):
        load_cached("a", lambda: assembly)
    assert list(folder.iterdir()) == []


def test_a_program_that_takes_llvm_too_long_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the compiler's own processor time: a busy machine refuses no program."""
    monkeypatch.setattr(native, "COMPILER_SECONDS", 1)
    wide = "define i8192 @f(i8192 %a) { " + "%b = mul i8192 %a, %a ret i8192 %b }"
    with pytest.raises(UnsupportedProgram, match=r"^LLVM has not compiled it in 1 s of processor time$"):
        load_cached("a", lambda: wide)


def test_a_program_that_makes_llvm_abort_leaves_the_switch_as_it_was(
    folder: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.push(kinds())
    client.insert(station(1, 2))
    before = client.read("table_entry {}")
    config = kinds()
    config.p4_device_config = config.p4_device_config.replace(b"kinds.p4", b"other.p4")
    monkeypatch.setattr(ForwardingCode, "__str__", lambda self: FATAL)
    code, message = refused(lambda: client.push(config))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert message.startswith("Invalid device config: LLVM does not compile it: LLVM ERROR: Cannot select")
    assert client.read("table_entry {}") == before


def test_programs_that_are_replaced_leave_nothing_behind(switch: Switch) -> None:
    device = Device(switch)

    def push(times: int) -> int:
        for _ in range(times):
            for program in ("kinds", "probe"):
                device.configure(Set.VERIFY_AND_COMMIT, config(program))
        gc.collect()
        return resident(os.getpid())

    push(5)
    engine = weakref.ref(switch.engine)
    sizes = [push(15) for _ in range(4)]
    # What is left behind adds up each time; the allocator's own memory does not.
    assert min(later - earlier for earlier, later in pairwise(sizes)) < 1 << 20
    assert engine() is None


def test_a_changed_source_in_any_package_changes_the_digest(tmp_path: Path) -> None:
    """Code written by another version of the compiler must not be loaded from the cache."""
    switch = tmp_path / "softswitch"
    shutil.copytree(SOURCES, switch, ignore=shutil.ignore_patterns("__pycache__"))
    before = digest_of_sources([switch])
    assert before == digest_of_sources([SOURCES])
    packages = [module.parent for module in switch.rglob("__init__.py")]
    assert switch / "compiler" in packages
    for package in packages:
        changed = next(package.glob("*.py"))
        text = changed.read_text()
        changed.write_text(text + "\n")
        assert digest_of_sources([switch]) != before, package
        changed.write_text(text)


def test_the_sources_are_part_of_the_key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = Compiler()
    answer("a", compiler)
    monkeypatch.setattr(native, "_sources", lambda: "others")
    answer("a", compiler)
    assert compiler.asked == 2


def test_a_compiler_ends_with_the_process_that_waits_for_it() -> None:
    begin = "import subprocess, sys; child = subprocess.Popen(sys.argv[1:]); print(child.pid, flush=True); child.wait()"
    reading, writing = os.pipe()
    command = [sys.executable, "-c", begin, sys.executable, "-P", compiler_process.__file__, "0"]
    with (
        os.fdopen(writing),
        os.fdopen(reading) as assembly,
        subprocess.Popen(command, stdin=assembly, stdout=subprocess.PIPE, text=True) as parent,
    ):
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        watched = os.pidfd_open(child)
        try:
            # It is ready when it has its limit of memory.
            while "Max address space         unlimited" in Path(f"/proc/{child}/limits").read_text():
                time.sleep(0.01)
            parent.kill()
            assert select.select([watched], [], [], SECONDS)[0]
        finally:
            os.close(watched)
