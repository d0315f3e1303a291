"""The examples' programs are compiled from the sources next to them."""

from __future__ import annotations

from hashlib import sha256

import pytest

from tests.support import ROOT


@pytest.mark.parametrize("folder", ["dctcp", "flowlets"])
def test_the_compiled_program_is_of_these_sources(folder: str) -> None:
    for line in (ROOT / "examples" / folder / "compiled" / "sources.sha256").read_text().splitlines():
        digest, name = line.split()
        assert sha256((ROOT / name).read_bytes()).hexdigest() == digest, f"run p4src/compile examples/{folder}"
