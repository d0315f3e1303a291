"""The record of the suites' results."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lab.conformance.__main__ import app
from lab.conformance.harness import record
from lab.conformance.harness.scorecard import Outcome

DOCS = Path(__file__).parents[4] / "docs"


def test_a_run_replaces_the_entry_of_its_suite(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    record.write("p4c", [Outcome("a", "fail")], path)
    record.write("finsy", [Outcome("a", "pass")], path)
    record.write("p4c", [Outcome("a", "pass"), Outcome("b", "no-compile"), Outcome("c", "pass")], path)
    written = json.loads(path.read_text())
    assert {suite: entry["results"] for suite, entry in written.items()} == {
        "finsy": {"pass": 1},
        "p4c": {"no-compile": 1, "pass": 2},
    }
    assert set(written["p4c"]) == {"date", "commit", "BMv2", "p4c", "results"}


def test_the_version_is_the_one_that_a_program_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert record.version("no-such-program") is None
    program = tmp_path / "p4c-bm2-ss"
    program.write_text("#!/bin/sh\necho p4c-bm2-ss\necho 'Version 1.2.3.8 (SHA:  BUILD: Release)'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert record.version("p4c-bm2-ss") == "1.2.3.8"


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_only_other_files_than_the_record_make_a_commit_dirty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, other = tmp_path / "folder" / "record.json", tmp_path / "other"
    path.parent.mkdir()
    for each in (path, other):
        each.write_text("{}")
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for arguments in (("init", "--quiet"), ("add", "."), (*author, "commit", "--quiet", "--message", "first")):
        subprocess.run(["git", "-C", tmp_path, *arguments], check=True)
    monkeypatch.setattr(record, "RECORD", path)
    clean = record.commit()
    assert clean
    assert not clean.endswith("-dirty")
    record.write("p4c", [Outcome("a", "pass")], path)
    assert record.commit() == clean
    other.write_text("changed")
    assert record.commit() == f"{clean}-dirty"


def test_a_part_of_a_suite_is_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[str] = []
    monkeypatch.setattr(record, "write", lambda suite, outcomes, **_: recorded.append(suite))
    monkeypatch.setattr(record, "version", lambda executable: "1.2.3.8")
    monkeypatch.setattr("lab.conformance.__main__.driver.run", lambda *given, **options: [Outcome("a", "pass")])
    monkeypatch.setenv("P4C", str(tmp_path))
    monkeypatch.setenv("PTF_BIN", str(tmp_path))
    CliRunner().invoke(app, ["p4c"])
    monkeypatch.setenv("RECORD", "1")
    for more in (["--only", "a"], ["--reference"]):
        CliRunner().invoke(app, ["p4c", *more])
    assert not recorded
    CliRunner().invoke(app, ["p4c"])
    assert recorded == ["p4c-1.2.3.8"]


def test_the_documents_quote_the_record() -> None:
    found = json.loads(record.RECORD.read_text()).items()
    assert found
    for suite, entry in found:
        results = ", ".join(f"{count} {result}" for result, count in entry["results"].items())
        document = DOCS / ("pytorch.md" if suite.startswith("torch") else "softswitch.md")
        assert f"| `{suite}` | {entry['date']} | {results} |" in document.read_text(), f"{document.name}: {suite}"
