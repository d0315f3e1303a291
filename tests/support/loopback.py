"""A job's network on the loopback, without links or root: an aggregator as the switch, and a controller."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

import pytest

# Tests may run in several processes at once, and in several checkouts.
NETWORK = f"127.{1 + os.getpid() % 254}.{os.getpid() // 254 % 256}"
SWITCHES = (f"{NETWORK}.{number}" for number in range(2, 200))
AGGREGATOR, HOST = f"{NETWORK}.200", "127.0.0.1"
TOPOLOGY = {
    "hosts": {"h1": {"ip": f"{HOST}/8", "mac": "08:00:00:00:01:11"}},
    "switches": {"s1": {}},
    "links": [["h1", "s1-p1"]],
}
R = TypeVar("R")


@contextmanager
def running(*arguments: str, python: str = sys.executable, before: str = "") -> Iterator[IO[str]]:
    """Runs a command of the package installed for `python` until it is ready. Yields its further output. before: a
    statement that its process runs first."""
    program = ["-c", f"{before}\nfrom dropzero.cli import main\nmain()"] if before else ["-m", "dropzero"]
    command = [python, "-P", *program, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            said = []
            for line in process.stdout:
                said.append(line)
                if line.startswith("ready"):
                    break
            else:
                pytest.fail("".join(said))
            yield process.stdout
        finally:
            process.kill()


@contextmanager
def loopback(folder: Path, *options: str, python: str = sys.executable, before: str = "") -> Iterator[str]:
    """Runs an aggregator, and a controller with these options. Yields the controller's address. before: a statement
    that the controller's process runs first."""
    address = next(SWITCHES)
    topology, switch, controller = folder / "topology.json", f"unix:{folder}/a.sock", f"unix:{folder}/c.sock"
    topology.write_text(json.dumps(TOPOLOGY))
    serve = ["controller", "serve", "--topology", str(topology), "--switch", switch, "--switch-ip", address]
    with (
        running("aggregator", address, "--listen", switch, python=python) as one,
        running(*serve, "--listen", controller, *options, python=python, before=before) as other,
    ):
        for output in (one, other):
            # A program whose output nobody reads stops when the pipe is full.
            threading.Thread(target=deque, args=(output, 0), daemon=True).start()
        yield controller


def at_once(*work: Callable[[], R]) -> list[R]:
    """Runs functions in parallel threads. Returns their results."""
    with ThreadPoolExecutor(len(work)) as threads:
        return [each.result() for each in [threads.submit(one) for one in work]]
