"""Fixtures shared by the tests of several packages."""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import cycle, islice
from pathlib import Path

import grpc
import hypothesis
import pytest

from dropzero.topologies.processes.claim import Claim
from tests.support.blocks import Machine
from tests.support.loopback import loopback

# No deadlines: an example's duration depends on the machine. The same examples every time, unless
# HYPOTHESIS_PROFILE=explore looks for new ones.
hypothesis.settings.register_profile("dropzero", deadline=None, derandomize=True)
hypothesis.settings.register_profile("explore", deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dropzero"))


# The processes that tests start: without their modules' bytecode they take four times as long to begin.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# One that crashes says where.
os.environ.setdefault("PYTHONFAULTHANDLER", "1")

# A shell that starts the tests in the background lets them, and all processes that they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Below Linux's ephemeral ports, so that a server can restart on its port.
_PORTS = cycle(range(20_000, 30_000))
_CLAIMS: deque[Claim] = deque()
"""Claims on the latest ports: no other process's tests take them until a server of this one listens there."""


LONG = (
    "test_any_time.py",
    "test_beside.py",
    "test_congestion.py",
    "test_fault_injection.py",
    "test_one_outcome.py",
    "test_over_racks.py",
    "test_recovery.py",
    "test_run.py",
    "test_wheel.py",
)
"""Files of half a minute or so that would begin last, and leave one process to finish alone."""


ADVICE = "dropzero.compressors.compression.CompressionWarning"
"""It warns users of what theory says; tests try such compressions on purpose."""
LENIENT = ("experiments",)
"""Folders in which a warning is not an error, because it has not been tried."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Lets long files begin first, and makes warnings errors."""
    items.sort(key=lambda item: item.path.name not in LONG)
    # A test's own filters come later, and win.
    strict = pytest.mark.filterwarnings("error", f"ignore::{ADVICE}", *config.getini("filterwarnings"))
    for item in items:
        folder, *others = item.path.relative_to(Path(__file__).parent).parts
        if others and folder not in LENIENT:
            item.add_marker(strict, append=False)


def pytest_collection_finish() -> None:
    """Lets the loaded packages take no more time than they must."""
    # Collecting garbage among all objects, as switches do when they load a program, is slow. Tests make many objects
    # and little garbage, so it is collected seldom, like in a switch's process.
    gc.freeze()
    gc.set_threshold(20_000)


@pytest.fixture(scope="module", autouse=True)
def _garbage() -> Iterator[None]:
    """Collects a file's garbage, after all other fixtures, so that what a test has left open is an error in its file.
    Freezes what the file's tests have loaded, too, such as modules that they are the first to import."""
    yield
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what was skipped, by reason. pytest's own `-rs` prints a line for each place, hundreds without BMv2."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if reasons:
        terminalreporter.section("skipped tests")
    for reason, count in reasons.most_common():
        terminalreporter.line(f"{count:4d}  {reason}")


def pytest_unconfigure() -> None:
    while _CLAIMS:
        _CLAIMS.pop().release()


def free_port() -> int:
    """A free TCP port of the loopback."""
    for port in islice(_PORTS, 10_000):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            _CLAIMS.append(Claim(f"tests-{port}"))
            if len(_CLAIMS) > 100:
                _CLAIMS.popleft().release()
            return port
    pytest.fail("no TCP port is free")


@contextmanager
def running_switch(kind: str, log: Path, port: int = 0, device_id: int = 0) -> Iterator[str]:
    """Runs a switch without ports and without a program. Yields the address of its P4Runtime server.

    kind: softswitch or bmv2. Skips the test if this switch is not installed. port: of the server; 0 for any.
    """
    if kind == "bmv2":
        executable = shutil.which("simple_switch_grpc")
        if executable is None:
            pytest.skip("no simple_switch_grpc on PATH")
        command = [executable]
    else:
        if importlib.util.find_spec("dropzero.softswitch.__main__") is None:
            pytest.skip("softswitch is not there")
        command = [sys.executable, "-m", "dropzero.softswitch"]
    address = f"127.0.0.1:{port or free_port()}"
    command += ["--no-p4", "--device-id", str(device_id), "--thrift-port", str(free_port())]
    command += ["--", "--grpc-server-addr", address]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        _wait_for(address, process, log)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(600)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Waits until the switch answers, at most half a minute, and no longer than it runs."""
    with grpc.insecure_channel(address) as channel:
        ready = grpc.channel_ready_future(channel)
        for _ in range(60):
            try:
                ready.result(0.5)
                return
            except grpc.FutureTimeoutError:
                if process.poll() is not None:
                    break
    pytest.fail(f"the switch did not start:\n{log.read_text()[-2000:]}")


@pytest.fixture(scope="module", params=["softswitch", "bmv2"])
def switch_address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a switch's P4Runtime server, of each kind of switch in turn."""
    with running_switch(request.param, tmp_path_factory.mktemp(request.param) / "switch.log") as address:
        yield address


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine with a checkout, for commands as documents have them."""
    made = Machine(tmp_path_factory.mktemp("checkout"))
    yield made
    made.remove()


@pytest.fixture(scope="module")
def controller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a controller on the loopback, for a module's own jobs. It is here because tests that need PyTorch
    can be skipped only without a conftest.py of theirs."""
    with loopback(tmp_path_factory.mktemp("loopback")) as address:
        yield address
