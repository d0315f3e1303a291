"""An ordinary user's namespaces: made once, found by later processes, refused with a reason."""

from __future__ import annotations

import errno
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dropzero.linux import rootless
from tests.support import ROOT
from tests.support.ordinary_user import OrdinaryUser, needs_users, ordinary_user

NAMESPACES = """
import os
from dropzero.linux import rootless
rootless.{entering}()
print(*(os.readlink(f"/proc/self/ns/{{kind}}") for kind in ("user", "net", "mnt")), flush=True)
"""
FORBIDDING = """
import ctypes, os, sys
user, group = os.getuid(), os.getgid()
ctypes.CDLL(None).unshare(0x10000000)  # CLONE_NEWUSER
texts = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
for name, text in texts.items():
    open(f"/proc/self/{name}", "w").write(text)
open("/proc/sys/user/max_user_namespaces", "w").write("0")
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Runs a command where an ordinary user may have no namespaces."""
WHY = "the kernel refuses namespaces to ordinary users (user.max_user_namespaces is 0); as root, `sysctl -w "


@pytest.fixture
def user() -> Iterator[OrdinaryUser]:
    with ordinary_user() as made:
        tried = subprocess.run(made.command("unshare", "-Urnm", "true"), capture_output=True, text=True, check=False)
        if tried.returncode:
            pytest.skip(f"an ordinary user may not have namespaces: {tried.stderr.strip()}")
        yield made


@contextmanager
def staying(user: OrdinaryUser) -> Iterator[str]:
    """A process of the user that stays in the namespaces. Yields their names."""
    command = user.command(sys.executable, "-c", NAMESPACES.format(entering="enter") + "input()")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline()
        process.communicate("\n")


def namespaces(user: OrdinaryUser, program: str = NAMESPACES.format(entering="enter")) -> str:
    return subprocess.run(user.command(sys.executable, "-c", program), stdout=subprocess.PIPE, text=True).stdout


def forbidden(user: OrdinaryUser, *command: str) -> subprocess.CompletedProcess[str]:
    words = user.command(sys.executable, "-c", FORBIDDING, *command)
    return subprocess.run(words, capture_output=True, text=True, check=False)


@needs_users
def test_all_processes_of_a_user_share_one_set_while_one_is_in_it(user: OrdinaryUser) -> None:
    entering_existing = NAMESPACES.format(entering="enter_existing")
    home = namespaces(user, entering_existing)
    with staying(user) as first:
        assert len(set(first.split()) | set(home.split())) == 6
        assert namespaces(user) == namespaces(user, entering_existing) == first
    assert namespaces(user, entering_existing) == home


@needs_users
def test_processes_that_enter_at_once_make_one_set(user: OrdinaryUser) -> None:
    command = user.command(sys.executable, "-c", NAMESPACES.format(entering="enter") + "input()")
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(5)]
    names = {process.stdout.readline() for process in started if process.stdout is not None}
    for process in started:
        process.communicate("\n")
    assert len(names) == 1


@needs_users
def test_inside_the_user_is_root_and_keeps_the_folder_and_its_sessions_files(user: OrdinaryUser) -> None:
    look = """
import os, socket
from dropzero.linux import rootless
assert not rootless.privileged()
rootless.enter()
assert rootless.privileged()
print(os.getuid(), os.getcwd(), *(name for _, name in socket.if_nameindex()), *os.listdir("/sys/class/net"))
open("mine", "w").close()
with socket.create_server(("127.0.0.1", 0)) as server: socket.create_connection(server.getsockname())
assert os.path.exists("/run/user") == {sessions}
"""
    assert namespaces(user, look.format(sessions=Path("/run/user").exists())) == f"0 {user.folder} lo lo\n"
    assert (user.folder / "mine").stat().st_uid == user.folder.stat().st_uid


@needs_users
def test_a_socket_of_the_network_outside_remains(user: OrdinaryUser) -> None:
    serve = """
from dropzero.linux import rootless
rootless.enter()
rootless.outside.bind(("127.0.0.1", 0))
rootless.outside.listen()
print(rootless.outside.getsockname()[1], flush=True)
rootless.outside.accept()[0].send(b"hello")
"""
    command = user.command(sys.executable, "-c", serve)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        with socket.create_connection(("127.0.0.1", int(process.stdout.readline()))) as connection:
            assert connection.recv(5) == b"hello"


def test_root_stays_where_it_is() -> None:
    if not rootless.privileged():
        pytest.skip("needs root")
    before = os.readlink("/proc/self/ns/net")
    rootless.enter()
    assert not rootless.enter_existing()
    assert os.readlink("/proc/self/ns/net") == before


@needs_users
@pytest.mark.parametrize("command", [["run"], ["launch", "true"], ["rack"]])
def test_where_namespaces_are_refused_a_command_says_why_in_one_line(user: OrdinaryUser, command: list[str]) -> None:
    refused = forbidden(user, sys.executable, "-m", "dropzero", *command)
    assert (refused.returncode, refused.stdout) == (2, "")
    (line,) = refused.stderr.splitlines()
    assert line.startswith(f"dropzero: {WHY}")
    assert line.endswith("; or try again with sudo")
    assert not (user.folder / "runs").exists()


@needs_users
@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_where_namespaces_are_refused_make_uses_sudo_or_ends_at_once(user: OrdinaryUser) -> None:
    recipe = ["make", "--no-print-directory", "--dry-run", "-C", str(ROOT), "run"]
    with_sudo = forbidden(user, *recipe, "SUDO=env")
    assert with_sudo.stderr.startswith(f"using env: {WHY}")
    assert re.search("^env .*dropzero run", with_sudo.stdout, re.MULTILINE)
    without = forbidden(user, *recipe, "SUDO=none")
    assert (without.returncode, without.stdout) == (2, "")
    assert without.stderr.startswith(f"there is no none, and {WHY}")
    allowed = subprocess.run(user.command(*recipe, "SUDO=none"), capture_output=True, text=True, check=True)
    assert "none" not in allowed.stdout + allowed.stderr


@pytest.mark.parametrize("name", rootless.SETTINGS)
def test_the_setting_that_forbids_namespaces_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rootless, "SYSCTLS", tmp_path)
    for other, (_, allows) in rootless.SETTINGS.items():
        path = tmp_path.joinpath(*other.split("."))
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{allows}\n")
    refused = OSError(errno.EPERM, os.strerror(errno.EPERM))
    assert "Operation not permitted" in rootless.reason(refused)
    forbids, allows = rootless.SETTINGS[name]
    tmp_path.joinpath(*name.split(".")).write_text(f"{forbids}\n")
    assert f"({name} is {forbids}); as root, `sysctl -w {name}={allows}`" in rootless.reason(refused)
