"""An ordinary user's runs: they train the same weights as root's, are found from other terminals, and leave nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.ordinary_user import NUMBER, OrdinaryUser, needs_users, ordinary_user
from tests.support.training_runs import expected

pytestmark = needs_users


@pytest.fixture(scope="module")
def user() -> Iterator[OrdinaryUser]:
    with ordinary_user() as made:
        refused = made.said("run", "--steps", "1", "--workers", "1", "--no-plot", "--no-page", "--out", "first")
        if "refuses namespaces" in refused.stderr:
            pytest.skip(refused.stderr)
        assert refused.returncode == 0, refused.stderr
        yield made


def processes() -> set[int]:
    """The user's processes."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        # Others may end meanwhile.
        with suppress(FileNotFoundError):
            if path.stat().st_uid == NUMBER:
                found.add(int(path.name))
    return found


def test_a_run_trains_the_weights_that_root_trains_and_leaves_only_the_users_files(user: OrdinaryUser) -> None:
    """With losses, kills, two racks and captures, whose sums are right."""
    options = ["--workers", "4", "--racks", "2", "--steps", "8", "--loss", "0.02", "--pcap", "--no-plot"]
    done = user.said("run", *options, "--kill", "switch", "--kill", "controller", "--out", "racks")
    assert done.returncode == 0, done.stderr
    out = user.folder / "racks"
    assert json.loads((out / "summary.json").read_text())["weights_sha256"] == expected(4, 8)
    assert {path.lstat().st_uid for path in (out, *out.rglob("*"))} == {NUMBER}
    assert processes() == set()
    audited = user.said("trace", "audit", "racks/pcaps")
    assert audited.returncode == 0, audited.stdout


@pytest.mark.parametrize("options", [["--ports", "shm"], ["--rate", "20", "--jobs", "2"]])
def test_rings_rates_and_several_jobs_work_as_for_root(user: OrdinaryUser, options: list[str]) -> None:
    out = "".join(options)
    done = user.said("run", "--workers", "2", "--steps", "5", "--no-plot", "--no-page", *options, "--out", out)
    assert done.returncode == 0, done.stderr
    for summary in (user.folder / out).glob("**/summary.json"):
        assert json.loads(summary.read_text())["weights_sha256"] == expected(2, 5)


def test_programs_of_ones_own_are_launched(user: OrdinaryUser) -> None:
    done = user.said(
        "launch", "--workers", "2", "--out", "launched", "--", "sh", "-c", "echo I am $(id -u) on $(hostname)"
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["[0] I am 0 on h1", "[1] I am 0 on h2"]


@pytest.mark.parametrize("how", ["stop", "SIGINT", "SIGKILL"])
def test_other_terminals_find_a_run_and_nothing_is_left_of_it(user: OrdinaryUser, how: str) -> None:
    command = user.dropzero("run", "--workers", "2", "--steps", "1000000", "--rate", "5", "--out", how)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None
            url = next(found[0] for line in run.stdout if (found := re.search(r"http://\S+", line)))
            # The browser is not in the namespaces.
            with urllib.request.urlopen(f"{url}samples?from=0") as samples:
                assert b'"hosts"' in samples.readline()
            assert user.said("exec", "h2", "hostname").stdout == "h2\n"
            # A switch is in the namespaces that the user's runs share.
            assert user.said("exec", "s1", "readlink", "/proc/self/ns/net").stdout != os.readlink("/proc/self/ns/net")
            jobs: list[dict[str, object]] = []
            while not jobs and run.poll() is None:
                # The workers may not have joined yet.
                jobs = json.loads(user.said("controller", "jobs", "--json").stdout)
            assert [job["job"] for job in jobs] == [1]
            if how == "stop":
                assert user.said("stop").stdout.startswith("stopped dz")
            else:
                run.send_signal(signal.Signals[how])
            _, errors = run.communicate()
        finally:
            run.kill()
    if how == "SIGKILL":
        assert run.returncode == -signal.SIGKILL
        # Its programs end with it; shells notice a little later.
        while processes():
            user.said("stop")
    else:
        number = signal.SIGTERM if how == "stop" else signal.Signals[how]
        assert (run.returncode, errors) == (128 + number, f"dropzero: stopped by {number.name}; cleaned up\n")
        assert processes() == set()


def test_with_sudo_the_files_of_a_run_belong_to_who_called_it(user: OrdinaryUser) -> None:
    out = user.folder / "new" / "run"
    command = [sys.executable, "-m", "dropzero", "launch", "--workers", "1", "--out", str(out), "true"]
    called = os.environ | {"SUDO_UID": str(NUMBER), "SUDO_GID": str(NUMBER)}
    subprocess.run(command, env=called, check=True, capture_output=True)
    found = [out.parent, *out.parent.rglob("*")]
    assert out / "summary.json" in found
    assert out.with_name("latest") in found
    assert {path.lstat().st_uid for path in found} == {NUMBER}


def test_other_users_do_not_enter_or_see_an_ordinary_users_runs(user: OrdinaryUser) -> None:
    name = f"x{os.getpid()}"
    command = user.dropzero("rack", "--workers", "1", "--name", name, "--out", "rack")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as rack:
        assert rack.stdout is not None
        assert name in rack.stdout.readline()
        refused = OrdinaryUser(Path("/"), NUMBER + 1).said("exec", "--run", name, "h1", "true")
        assert refused.returncode == 2
        assert f"no run {name} is up" in refused.stderr
        rack.terminate()
