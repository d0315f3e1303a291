"""Namespaces in which an ordinary user may run networks: the user is root in them, and nowhere else.

All commands of a user share one set: a user, a network, a mount and a UTS namespace, with its own /run and /sys. The
first command that needs a network makes it, later ones enter it, and the kernel removes it with the last process in it.
Processes keep their pids, terminal and signals.

A process enters before it has threads, so this module loads only the standard library. `python -m
dropzero.linux.rootless sudo` prints `sudo` if networks need it here, or `false` if there is none, and on stderr why.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import socket
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dropzero.linux.libc import checked_call, libc

# <linux/capability.h>, <linux/sched.h>, <linux/mount.h>, <linux/sockios.h> and <linux/if.h>
CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x4000000, 0x10000000, 0x40000000
NAMESPACES = CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS
MS_BIND, MS_REC = 0x1000, 0x4000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1

MARK = Path("/run/dropzero/namespace")
"""In the namespaces, a link to the name of the mount namespace: a user's processes on hosts, and in shells with a /tmp
of their own, have the same /run, but another mount namespace."""
ROOTS_FOLDERS = "/usr/local/sbin", "/usr/sbin", "/sbin"
"""Where Debian has tc and ethtool: not on an ordinary user's PATH."""
REFUSED = "the kernel refuses namespaces to ordinary users"
PATIENCE = 10.0
"""Seconds to wait for another command that makes the namespaces."""
SYSCTLS = Path("/proc/sys")
SETTINGS = {
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),
    "user.max_user_namespaces": ("0", "10000"),
    "user.max_net_namespaces": ("0", "10000"),
    "user.max_mnt_namespaces": ("0", "10000"),
}
"""Settings of the kernel: the value that forbids namespaces, and one that allows them."""

outside: socket.socket | None = None
"""A TCP socket of the network that this process has left, not bound yet: programs outside the namespaces can reach it.
None if the process has not entered any."""


class RefusedError(Exception):
    """There are no namespaces for this process. The message is one line, and says what allows them."""


def privileged() -> bool:
    """Returns whether this process may change networks: as root, or in its user's namespaces."""
    status = Path("/proc/self/status").read_text()
    held = int(status.partition("CapEff:")[2].split()[0], 16)
    return os.geteuid() == 0 and all(held >> wanted & 1 for wanted in (CAP_NET_ADMIN, CAP_SYS_ADMIN))


def enter() -> None:
    """Moves this process into its user's namespaces, and makes them if there are none; none of this if it is
    privileged. Raises RefusedError if the kernel does not allow them."""
    if privileged():
        return
    try:
        with _alone():
            if not enter_existing():
                _enter_new()
    except OSError as error:
        raise RefusedError(reason(error)) from error


def enter_existing() -> bool:
    """Moves this process into its user's namespaces if there are any. Returns whether it has entered."""
    for pid in () if privileged() else _inside():
        # It may have just ended.
        with suppress(OSError):
            _join(pid)
            return True
    return False


def _inside() -> Iterator[int]:
    """Yields the processes of this user in the namespaces."""
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (path / "root" / MARK.relative_to("/")).readlink() == (path / "ns/mnt").readlink():
                yield int(path.name)


def _join(pid: int) -> None:
    """Enters the namespaces of a process. Raises OSError."""
    global outside
    folder = os.getcwd()
    process = os.pidfd_open(pid)
    left = socket.socket()
    try:
        checked_call(libc.setns, process, NAMESPACES)
    except OSError:
        left.close()
        raise
    finally:
        os.close(process)
    outside = left
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), *ROOTS_FOLDERS])
    # A mount namespace is entered at its root.
    os.chdir(folder)


def _enter_new() -> None:
    """Makes the namespaces in a child process, and enters them: where they are refused, nothing has changed here."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        try:
            ours.close()
            _unshare()
            theirs.send(b"0")
            # Until the parent has entered, or has ended.
            theirs.recv(1)
        except OSError as error:
            theirs.send(str(error.errno).encode())
        finally:
            os._exit(0)
    theirs.close()
    with ours:
        number = int(ours.recv(16) or errno.EPERM)
        if not number:
            _join(child)
    os.waitpid(child, 0)
    if number:
        raise OSError(number, os.strerror(number))


def _unshare() -> None:
    """Moves this process into new namespaces. Raises OSError."""
    user, group = os.geteuid(), os.getegid()
    checked_call(libc.unshare, NAMESPACES)
    for name, text in {"setgroups": "deny", "uid_map": f"0 {user} 1", "gid_map": f"0 {group} 1"}.items():
        Path("/proc/self", name).write_text(text)
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", IFF_UP))
    # /sys shows the interfaces of the network namespace in which it is mounted.
    checked_call(libc.mount, b"sysfs", b"/sys", b"sysfs", 0, None)
    sessions = os.open("/run/user", os.O_PATH) if Path("/run/user").exists() else None
    checked_call(libc.mount, b"tmpfs", b"/run", b"tmpfs", 0, b"mode=755")
    if sessions is not None:
        # XDG_RUNTIME_DIR is there.
        Path("/run/user").mkdir()
        checked_call(libc.mount, f"/proc/self/fd/{sessions}".encode(), b"/run/user", None, MS_BIND | MS_REC, None)
    MARK.parent.mkdir()
    MARK.symlink_to(os.readlink("/proc/self/ns/mnt"))


def _alone() -> socket.socket:
    """Returns when no other command of this user is about to make the namespaces; none is until it is closed. Raises
    OSError."""
    lock, deadline = socket.socket(socket.AF_UNIX), time.monotonic() + PATIENCE
    while True:
        try:
            lock.bind(f"\0dropzero-rootless-{os.geteuid()}")
            return lock
        except OSError:
            if time.monotonic() > deadline:
                lock.close()
                raise
        time.sleep(0.01)


def reason(error: OSError) -> str:
    """Says why the namespaces are refused, and what allows them."""
    for name, (forbids, allows) in SETTINGS.items():
        with suppress(OSError):
            if SYSCTLS.joinpath(*name.split(".")).read_text().strip() == forbids:
                return f"{REFUSED} ({name} is {forbids}); as root, `sysctl -w {name}={allows}` allows them"
    return f"{REFUSED} ({error.strerror}), as in many containers, which need the capabilities NET_ADMIN and SYS_ADMIN"


def _main(sudo: str) -> None:
    try:
        enter()
    except RefusedError as refused:
        found = shutil.which(sudo.split()[0]) is not None
        print(sudo if found else "false")
        print(f"using {sudo}: {refused}" if found else f"there is no {sudo}, and {refused}", file=sys.stderr)


if __name__ == "__main__":
    _main(" ".join(sys.argv[1:]))
