"""The leftovers of a run are found, and those of others are not."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab.chaos.stage.leftovers import VARIABLE, Leftovers

SLEEP = [sys.executable, "-c", "import sys, time; print('here', flush=True); time.sleep(600)"]


@pytest.fixture
def leftovers(monkeypatch: pytest.MonkeyPatch) -> Leftovers:
    monkeypatch.setenv(VARIABLE, "")
    return Leftovers()


@contextmanager
def started(*command: str, env: dict[str, str] | None = None) -> Iterator[int]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"here\n"
            yield process.pid
        finally:
            process.kill()


def test_a_clean_machine_has_no_leftovers(leftovers: Leftovers) -> None:
    assert leftovers.left() == []


def test_a_process_is_found_after_its_parent_has_ended(leftovers: Leftovers) -> None:
    with started(*SLEEP) as pid:
        assert [f"process {pid}:" in text for text in leftovers.left()] == [True]
    assert leftovers.left() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_a_network_namespace_is_found_through_the_processes_in_it(leftovers: Leftovers) -> None:
    """Also if that process is not part of the run."""
    foreign = {name: value for name, value in os.environ.items() if name != VARIABLE}
    with started("unshare", "--net", *SLEEP, env=foreign) as pid:
        assert leftovers.left() == []
        leftovers.note_namespace(pid)
        assert leftovers.left() == [f"network namespace of process {pid}"]
        # Later the number may be somebody else's.
        assert leftovers.left() == []
    assert leftovers.left() == []


def test_a_socket_is_found(leftovers: Leftovers, tmp_path: Path) -> None:
    path = tmp_path / "door.sock"
    leftovers.files.add(path)
    assert leftovers.left() == []
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(path))
        assert leftovers.left() == [f"file {path}"]
