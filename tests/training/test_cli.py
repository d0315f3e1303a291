from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dropzero.training import session
from dropzero.training.cli import app


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--workers", "0"], "--workers"),
        (["--workers", "4", "--rank", "4"], "--rank"),
        (["--workers", "4", "--quorum", "5"], "--quorum"),
        (["--workers", "4", "--straggler", "0"], "--straggler"),
        (["--workers", "4", "--density", "0"], "--density"),
        (["--workers", "4", "--density", "nan"], "--density"),
        (["--workers", "4", "--compress", "topk(2)"], "--compress"),
        (["--workers", "9", "--compress", "ef+fixed8"], "few_bits"),
        (["--workers", "4", "--steps", "0"], "--steps"),
        (["--workers", "4", "--job", "65536"], "--job"),
        ([], "--workers"),
    ],
)
def test_a_wrong_option_is_named_and_ends_with_status_2(arguments: list[str], complaint: str) -> None:
    outcome = CliRunner().invoke(app, ["--controller", "unix:/nowhere", *arguments], env={"TERM": "dumb"})

    assert outcome.exit_code == 2
    assert complaint in outcome.stderr


def test_other_settings_than_those_of_the_job_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*arguments: object) -> None:
        raise ValueError("the job trains with other settings")

    monkeypatch.setattr(session, "run", refuse)
    arguments = ["--controller", "unix:/nowhere", "--workers", "2", "--out", str(tmp_path)]
    outcome = CliRunner().invoke(app, arguments)

    assert outcome.exit_code == 2
    assert outcome.stderr == "dropzero worker: the job trains with other settings\n"
