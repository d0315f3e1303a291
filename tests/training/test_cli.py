from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from dropzero.files import FULL
from dropzero.training import session
from dropzero.training.cli import app
from dropzero.training.records import Records


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
        (["--workers", "9", "--compress", "none; bias: ef+fixed8"], "few_bits"),
        (["--workers", "4", "--compress", "none; leyer2: int"], "layer2.weight"),
        (["--workers", "4", "--compress", "qsgd(4)+ef"], "needs a compressor"),
        (["--workers", "4", "--steps", "0"], "--steps"),
        (["--workers", "4", "--job", "65536"], "--job"),
        ([], "--workers"),
    ],
)
def test_a_wrong_option_is_named_and_ends_with_status_2(arguments: list[str], complaint: str) -> None:
    outcome = CliRunner().invoke(app, ["--controller", "unix:/nowhere", *arguments], env={"TERM": "dumb"})

    assert outcome.exit_code == 2
    assert complaint in outcome.stderr


def test_what_theory_has_against_a_compression_is_said_before_the_first_step(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(session, "run", lambda *_: SimpleNamespace(rank=0, test_accuracy=0.5, weights_sha256="0"))
    arguments = ["--controller", "unix:/nowhere", "--workers", "4", "--out", str(tmp_path), "--compress"]
    outcomes = [CliRunner().invoke(app, [*arguments, spec]) for spec in ("qsgd(1,bucket=0)+diana", "topk(0.01)+ef")]
    assert [outcome.exit_code for outcome in outcomes] == [0, 0]
    assert outcomes[0].stderr.startswith("warning: the omega of qsgd(1,bucket=0)+diana is 393: theory allows steps 590")
    assert outcomes[1].stderr == ""


def test_other_settings_than_those_of_the_job_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*arguments: object) -> None:
        raise ValueError("the job trains with other settings")

    monkeypatch.setattr(session, "run", refuse)
    arguments = ["--controller", "unix:/nowhere", "--workers", "2", "--out", str(tmp_path)]
    outcome = CliRunner().invoke(app, arguments)

    assert outcome.exit_code == 2
    assert outcome.stderr == "dropzero worker: the job trains with other settings\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_full_disk_is_told_from_other_errors(tmp_path: Path) -> None:
    """NumPy's own message would be `50000 requested and 2016 written`."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path], check=True)
    try:
        with Records(tmp_path, 0) as records, pytest.raises(OSError, match="No space left") as failed:
            records.finish(SimpleNamespace(parameters=np.zeros(50_000, np.float32)), None)  # type: ignore[arg-type]
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)
    assert failed.value.errno in FULL


def test_a_full_disk_is_named_with_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(session, "run", fail)
    outcome = CliRunner().invoke(app, ["--controller", "unix:/nowhere", "--workers", "2", "--out", str(tmp_path)])
    assert (outcome.exit_code, outcome.stderr) == (1, f"dropzero worker: no space left in {tmp_path}\n")
