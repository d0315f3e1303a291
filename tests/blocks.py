"""The fenced blocks of the Markdown files, and a machine of their own for their commands."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
QUIET, SILENT = 1.0, 10.0
"""Seconds without a word after which the next terminal's turn comes: after it has said something, or nothing at all."""
BLOCK = re.compile(r"^(?:<!-- not run: ([^\n]*) -->\n)?```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One block.

    Attributes:
        file: relative to the checkout.
        line: where it begins.
        kind: `sh`; `sh terminals`, each line in a terminal of its own; `console`, a command after `$` and what is typed
            at its prompts; `python`; any other language is not to be executed.
        text: between the fences.
        reason: why it is not executed, from a comment before it `<!-- not run: ... -->`; empty: it is.
    """

    file: str
    line: int
    kind: str
    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def blocks(file: str) -> list[Block]:
    """The file's, in order."""
    text = (ROOT / file).read_text()
    return [
        Block(file, text.count("\n", 0, match.end(2)) - match[2].count("\n") + 1, match[2], match[3], match[1] or "")
        for match in BLOCK.finditer(text)
    ]


class Machine:
    """A network namespace, with a /run of its own, and a folder that looks like a checkout. Needs root.

    So the commands find the ports, names and sockets that they name, whatever else runs here.
    """

    def __init__(self, folder: Path) -> None:
        """`folder`: where the commands run; empty."""
        self.folder = folder
        for path in ROOT.iterdir():
            if path.name not in (".venv", "runs"):
                (folder / path.name).symlink_to(path)
        (folder / ".venv").symlink_to(sys.prefix)
        # /sys shows the interfaces of the namespace that it was mounted in.
        mounts = "mount -t tmpfs tmpfs /run && mount -t sysfs sysfs /sys"
        prepare = f"{mounts} && ip link set lo up && echo ready && exec sleep infinity"
        command = ["unshare", "--net", "--mount", "sh", "-c", prepare]
        self._init = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._init.stdout is not None
        assert self._init.stdout.readline() == "ready\n"
        self._terminals: list[subprocess.Popen[bytes]] = []

    def start(self, script: str, log: Path) -> subprocess.Popen[bytes]:
        """Has bash run that, in a process group of its own."""
        inside = ["nsenter", f"--target={self._init.pid}", "--net", "--mount", "--root", "--wd", "--"]
        command = [*inside, "bash", "-euc", f"cd {self.folder}; . .venv/bin/activate\n{script}"]
        environment = {**os.environ, "STEPS": "5"}
        with log.open("wb") as output:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )

    def run(self, script: str) -> str:
        """Has bash run that to its end; what it wrote. Raises AssertionError if it fails."""
        log = self.folder / "block.log"
        process = self.start(script, log)
        try:
            status = process.wait(240)
        finally:
            _end(process)
        assert status == 0, f"exit status {status}:\n{script}\n{log.read_text()}"
        return log.read_text()

    def open(self, script: str) -> None:
        """Runs each line in a terminal of its own. Those that were open are closed. Raises AssertionError if one
        fails."""
        self.close()
        logs = {self.folder / f"terminal-{number}.log": line for number, line in enumerate(script.splitlines())}
        for log, line in logs.items():
            process = self.start(line, log)
            self._terminals.append(process)
            _await_quiet(process, log)
        for process, (log, line) in zip(self._terminals, logs.items(), strict=True):
            assert not process.poll(), f"{line}\n{log.read_text()}"

    def close(self) -> None:
        """Presses Ctrl-C in all terminals, the last one's first."""
        while self._terminals:
            _end(self._terminals.pop())

    def remove(self) -> None:
        """Ends everything in it."""
        self.close()
        self._init.kill()
        self._init.wait()


def _await_quiet(process: subprocess.Popen[bytes], log: Path) -> None:
    """Until it ends, or has nothing to say."""
    said, since = 0, time.monotonic()
    while process.poll() is None and time.monotonic() - since < (QUIET if said else SILENT):
        time.sleep(0.05)
        if log.stat().st_size != said:
            said, since = log.stat().st_size, time.monotonic()


def _end(process: subprocess.Popen[bytes]) -> None:
    """With its process group."""
    for wanted in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, wanted)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)


def documents() -> Iterator[str]:
    """The Markdown files of the checkout, README first."""
    yield "README.md"
    for pattern in ("CONTRIBUTING.md", "docs/*.md", "examples/**/*.md", "conformance/*.md"):
        yield from sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern))
