"""The generated protobuf modules."""

from __future__ import annotations

import hashlib

from tests.support import ROOT


def test_generated_code_matches_the_messages() -> None:
    lines = (ROOT / "dropzero" / "generated.sha256").read_text().splitlines()
    recorded = {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}
    files = [path for kind in ("*.proto", "*_pb2*.py", "*_pb2*.pyi") for path in (ROOT / "dropzero").rglob(kind)]
    present = {str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert recorded == present, "a .proto file, or what was generated from it, has changed since: run dropzero/generate"


def test_all_generated_modules_have_types() -> None:
    modules = [*(ROOT / "dropzero").rglob("*_pb2.py"), *(ROOT / "dropzero").rglob("*_pb2_grpc.py")]
    assert modules
    assert [module for module in modules if not module.with_suffix(".pyi").exists()] == []
