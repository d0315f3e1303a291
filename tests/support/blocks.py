"""The fenced blocks of the Markdown files, and an isolated machine for their commands."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support import ROOT

QUIET, SILENT, LONGEST = 1.0, 10.0, 60.0
"""Seconds of silence before the next terminal starts: after some output, and without any; and the most seconds."""
TUTORIAL = "docs/tutorial/"
BLOCK = re.compile(r"^(?:<!-- not run: ([^\n]*) -->\n)?```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One block.

    Attributes:
        file: relative to the checkout.
        line: where it begins.
        kind: `sh`; `sh terminals`, each line in its own terminal; `console`, a command after `$` and input at its
            prompts; `python`; other languages are not executed.
        text: between the fences.
        reason: why it is not executed, from a comment before it `<!-- not run: ... -->`; empty if it is.
    """

    file: str
    line: int
    kind: str
    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def blocks(file: str) -> list[Block]:
    """The blocks of a file, in order."""
    text = (ROOT / file).read_text()
    return [
        Block(file, text.count("\n", 0, match.end(2)) - match[2].count("\n") + 1, match[2], match[3], match[1] or "")
        for match in BLOCK.finditer(text)
    ]


class Machine:
    """A network namespace with its own /run, and a folder that looks like a checkout. Needs root.

    So ports, names and sockets in the commands are free, whatever else runs on this machine.
    """

    def __init__(self, folder: Path) -> None:
        """folder: the commands' working folder; must be empty."""
        self.folder = folder
        for path in ROOT.iterdir():
            if path.name not in (".venv", "examples", "runs"):
                (folder / path.name).symlink_to(path)
        # Commands add to them.
        shutil.copytree(ROOT / "examples", folder / "examples")
        (folder / ".venv").symlink_to(sys.prefix)
        # /sys shows the interfaces of the namespace in which it was mounted.
        mounts = "mount -t tmpfs tmpfs /run && mount -t sysfs sysfs /sys"
        prepare = f"{mounts} && ip link set lo up && echo ready && exec sleep infinity"
        command = ["unshare", "--net", "--mount", "sh", "-c", prepare]
        self._init = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._init.stdout is not None
        assert self._init.stdout.readline() == "ready\n"
        self._terminals: list[subprocess.Popen[bytes]] = []

    def start(self, script: str, log: Path) -> subprocess.Popen[bytes]:
        """Starts a script in bash, in its own process group."""
        inside = ["nsenter", f"--target={self._init.pid}", "--net", "--mount", "--root", "--wd", "--"]
        command = [*inside, "bash", "-euc", f"cd {self.folder}; . .venv/bin/activate\n{script}"]
        environment = {**os.environ, "STEPS": "5", "VENV": ".venv"}
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
        """Runs a script in bash. Returns its output. Raises AssertionError if it fails."""
        log = self.folder / "block.log"
        process = self.start(script, log)
        try:
            status = process.wait(600)
        finally:
            _end(process)
        assert status == 0, f"exit status {status}:\n{script}\n{log.read_text()}"
        return log.read_text()

    def open(self, script: str) -> None:
        """Closes open terminals, and runs each line in a new one. Raises AssertionError if one fails."""
        self.close()
        logs = {self.folder / f"terminal-{number}.log": line for number, line in enumerate(script.splitlines())}
        for log, line in logs.items():
            process = self.start(line, log)
            self._terminals.append(process)
            _await_quiet(process, log)
        for process, (log, line) in zip(self._terminals, logs.items(), strict=True):
            assert not process.poll(), f"{line}\n{log.read_text()}"

    def close(self) -> None:
        """Presses Ctrl-C in all terminals, the last one first."""
        while self._terminals:
            _end(self._terminals.pop())

    def remove(self) -> None:
        """Ends all processes on the machine."""
        self.close()
        self._init.kill()
        self._init.wait()


def _await_quiet(process: subprocess.Popen[bytes], log: Path) -> None:
    """Waits until a process ends, or is silent though it could say something."""
    said, since = 0, time.monotonic()
    latest = since + LONGEST
    while process.poll() is None and (now := time.monotonic()) < min(latest, since + (QUIET if said else SILENT)):
        time.sleep(0.05)
        if log.stat().st_size != said or _busy(process.pid):
            said, since = log.stat().st_size, now


def _busy(session: int) -> bool:
    """Whether a process of a session computes, or waits for a processor or a disk: on a busy machine for seconds."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, sid, *_ = path.read_text().rpartition(")")[2].split()
            if int(sid) == session and state in "RD":
                return True
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and its process group."""
    for wanted in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, wanted)
        with suppress(subprocess.TimeoutExpired):
            process.wait(600)


def documents() -> Iterator[str]:
    """The Markdown files of the checkout, README first."""
    yield "README.md"
    for pattern in ("CONTRIBUTING.md", "docs/**/*.md", "examples/**/*.md", "lab/**/*.md"):
        yield from sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern))
