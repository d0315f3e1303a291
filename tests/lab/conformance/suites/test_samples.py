"""p4c's samples: what each result means."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.conformance.suites import samples

KINDS = Path(__file__).parents[3] / "softswitch" / "programs" / "kinds.json"
COMPILER = f"""\
#!/bin/sh
for given; do
  [ "$previous" = -o ] && json=$given
  case $given in *.p4) program=$given;; esac
  previous=$given
done
grep -q uncompiled "$program" && echo "error: no" >&2 && exit 1
grep -q good "$program" && cp {KINDS} "$json" || cp "$program" "$json"
"""
"""A stand-in for p4c: its output is a valid program, an invalid one, or an error."""


def test_a_program_that_only_this_switch_refuses_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = tmp_path / "testdata" / "p4_16_samples"
    sources.mkdir(parents=True)
    for name in ("good", "uncompiled", "refused", "ours"):
        (sources / f"{name}.p4").write_text(f"#include <v1model.p4>\n// {name}\n")
    (sources / "library.p4").write_text("// for no architecture\n")
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "p4c-bm2-ss").write_text(COMPILER)
    (commands / "simple_switch").write_text('#!/bin/sh\ngrep -q refused "$1" && exit 1\nexec sleep 60\n')
    for command in commands.iterdir():
        command.chmod(0o755)
    monkeypatch.setenv("PATH", str(commands), prepend=":")
    monkeypatch.setattr(samples, "BMV2_SECONDS", 0.5)
    found = list(samples.run(tmp_path, tmp_path / "build", only="", jobs=1))
    assert {outcome.test.partition("/")[2]: outcome.result for outcome in found} == {
        "good": "pass",
        "uncompiled": "no-compile",
        "refused": "refused",
        "ours": "fail",
    }
