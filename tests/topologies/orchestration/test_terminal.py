"""The end of `dropzero run` at a terminal, where somebody may want to look at the page."""

from __future__ import annotations

import http.client
import os
import pty
import re
import select
import signal
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from dropzero.topologies.orchestration.terminal import program, wait_for_enter
from dropzero.topologies.registry.state import states
from tests.support.terminal import at_a_terminal, shown

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")


def run(out: Path, *options: str) -> list[str]:
    options = ("--switch", "softswitch", "--workers", "1", "--steps", "2", "--no-plot", "--out", str(out), *options)
    return [sys.executable, "-m", "dropzero", "run", *options]


@needs_root
@pytest.mark.parametrize(("name", "answer"), [("enter", b"\n"), ("ctrlc", b"\x03")])
def test_the_page_alone_stays_until_enter_or_ctrl_c(tmp_path: Path, name: str, answer: bytes) -> None:
    with at_a_terminal(*run(tmp_path / "run", "--name", name)) as (process, terminal):
        text = shown(terminal, "until you press Enter")
        (url,) = set(re.findall(r"http://[0-9.:]+/", text))
        assert "test accuracy" in text
        assert name not in {state.prefix for state in states()}
        with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=600)) as connection:
            connection.request("GET", "/samples")
            assert b'"over":{"summaries"' in connection.getresponse().read()
        os.write(terminal, answer)
        assert "Traceback" not in shown(terminal)
        assert process.wait() == 0


@pytest.mark.parametrize("answer", ["enter", "ctrlc"])
def test_an_answer_counts_from_the_first_letter_of_the_question(answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, its = pty.openpty()

    def ask() -> None:
        if answer == "ctrlc":
            signal.raise_signal(signal.SIGINT)
        os.write(ours, b"now\n")

    with os.fdopen(ours, "wb", 0), os.fdopen(its, encoding="ascii") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        os.write(ours, b"before\n")
        wait_for_enter(ask)
        if answer == "enter":
            # The answer was read, and what was typed before is not there.
            assert select.select([terminal], [], [], 0)[0] == []


@needs_root
def test_without_a_page_nothing_waits(tmp_path: Path) -> None:
    with at_a_terminal(*run(tmp_path / "run", "--no-page")) as (process, terminal):
        assert "Enter" not in shown(terminal)
        assert process.wait() == 0


@pytest.mark.parametrize(
    ("typed", "path", "named"),
    [
        (".venv/bin/dropzero", "", [".venv/bin/dropzero"]),
        ("{here}/.venv/bin/dropzero", "", [".venv/bin/dropzero"]),
        ("../other/dropzero", "", ["{elsewhere}/dropzero"]),
        ("{elsewhere}/dropzero", "{elsewhere}", ["dropzero"]),
        # Another one is on PATH.
        (".venv/bin/dropzero", "{elsewhere}", [".venv/bin/dropzero"]),
        ("{here}/dropzero/__main__.py", "", [".venv/bin/python", "-m", "dropzero"]),
    ],
)
def test_the_program_is_named_as_it_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, path: str, named: list[str]
) -> None:
    places = {"here": tmp_path / "here", "elsewhere": tmp_path / "other"}
    for folder in (places["here"] / ".venv/bin", places["elsewhere"]):
        folder.mkdir(parents=True)
        (folder / "dropzero").touch(mode=0o755)
    monkeypatch.chdir(places["here"])
    monkeypatch.setenv("PATH", path.format(**places))
    monkeypatch.setattr(sys, "argv", [typed.format(**places)])
    monkeypatch.setattr(sys, "executable", str(places["here"] / ".venv/bin/python"))
    assert program() == [word.format(**places) for word in named]
