from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_committed_messages_are_those_of_the_proto_file(tmp_path: Path) -> None:
    protoc = shutil.which("protoc")
    if protoc is None or "3.21." not in subprocess.run([protoc, "--version"], capture_output=True, text=True).stdout:
        pytest.skip("no protoc 3.21, whose output is committed")
    command = [protoc, f"--python_out={tmp_path}", f"--pyi_out={tmp_path}", "dropzero/controller/membership.proto"]
    subprocess.run(command, cwd=ROOT, check=True)
    for name in ("membership_pb2.py", "membership_pb2.pyi"):
        assert (tmp_path / "dropzero" / "controller" / name).read_text() == (ROOT / "controller" / name).read_text()
