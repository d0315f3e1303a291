"""Schemes on emulated hosts. Needs root."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from dropzero.simulator.formulas import Scheme
from lab.bench.testbed import testbed
from lab.bench.testbed.member import Case

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")


def test_output_of_libraries_is_not_taken_for_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import atexit\nprint('[W socket.cpp] no name')\natexit.register(print, '{}')\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    racks = testbed.Testbed(tmp_path / "testbed", workers=2)
    with ExitStack() as resources:
        # The testbed is not entered, because the P4 rack is not needed.
        resources.push(racks)
        (measurement,) = racks.measure(Scheme.RING, [Case(1000, repetitions=2)])
    assert len(measurement.times) == 2
    (log,) = (tmp_path / "testbed").glob("plain-*/logs/ring-0.log")
    assert log.read_text().startswith("[W socket.cpp] no name")
