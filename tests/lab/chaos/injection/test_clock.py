"""Programs that run with a wrong clock."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

DAY = 86_400.0


def test_a_clock_goes_wrong_and_right_again_while_a_program_runs(tmp_path: Path) -> None:
    file = tmp_path / "step"
    (tmp_path / "program.py").write_text("import time\nwhile input() != 'end':\n    print(time.time(), flush=True)\n")
    command = [sys.executable, "-m", "lab.chaos.injection.clock", str(file), "program"]
    environment = {"PYTHONPATH": f"{tmp_path}:{Path(__file__).resolve().parents[4]}"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=tmp_path
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None

        def error() -> float:
            assert program.stdin is not None
            assert program.stdout is not None
            print("tell", file=program.stdin, flush=True)
            return float(program.stdout.readline()) - time.time()

        assert round(error() / DAY) == 0
        file.write_text(str(-DAY))
        assert round(error() / DAY) == -1
        file.unlink()
        assert round(error() / DAY) == 0
        print("end", file=program.stdin, flush=True)
        assert program.wait() == 0
