"""The generated protobuf modules."""

from __future__ import annotations

import hashlib
import os
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


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
