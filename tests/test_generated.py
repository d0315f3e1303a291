"""The generated protobuf modules."""

from __future__ import annotations

import hashlib
import os
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dropzero.p4.config.v1 import p4info_pb2, p4types_pb2
from dropzero.p4.v1 import p4data_pb2, p4runtime_pb2

ROOT = Path(__file__).resolve().parents[1]
P4RUNTIME = (p4types_pb2, p4info_pb2, p4data_pb2, p4runtime_pb2)


def test_generated_code_matches_the_messages() -> None:
    lines = (ROOT / "dropzero" / "generated.sha256").read_text().splitlines()
    recorded = {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}
    files = [
        Path(folder, name)
        for folder, _, names in os.walk(ROOT / "dropzero", followlinks=True)
        for name in names
        if fnmatch(name, "*.proto") or fnmatch(name, "*_pb2*.py") or fnmatch(name, "*_pb2.pyi")
    ]
    present = {str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert recorded == present, "a .proto file, or what was generated from it, has changed since: run dropzero/generate"


@pytest.mark.parametrize("module", P4RUNTIME, ids=lambda module: module.DESCRIPTOR.name)
def test_p4runtimes_messages_match_its_package(module: Any) -> None:
    """p4runtime-shell loads its package: protobuf accepts two files with one name in a process only if they are
    equal."""
    name = module.__name__.removeprefix("dropzero.")
    pytest.importorskip(name.partition(".")[0], reason="p4runtime-shell is not installed")
    assert import_module(name).DESCRIPTOR.serialized_pb == module.DESCRIPTOR.serialized_pb
