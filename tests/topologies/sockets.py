"""The sockets of processes, as the kernel lists them, and another machine that tries to reach them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import NamedTuple

from dropzero.linux.namespace import inside

ROOT, OTHER = "198.51.100.1", "198.51.100.2"
"""The addresses of this machine and of the other one."""
_LISTENS, _ACCEPTS = "0A", 0x10000


class Open(NamedTuple):
    """An address at which a process receives: TCP and Unix sockets that listen, and UDP sockets.

    Attributes:
        kind: tcp, udp or unix.
        address: the IP address, or the socket's path.
        peer: whether it receives from one address only.
        root: whether it is in this process's network namespace.
    """

    kind: str
    address: str
    port: int
    peer: bool
    root: bool
    program: str


def family(process: int) -> list[int]:
    """The process and all of its descendants."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found = [process]
    for each in found:
        found += parents.get(each, [])
    return found


def opened(process: int) -> set[Open]:
    """Where a process and its descendants receive."""
    found: set[Open] = set()
    for each in family(process):
        with suppress(OSError):
            found |= _opened(each)
    return found


def _opened(process: int) -> set[Open]:
    about = Path(f"/proc/{process}")
    inodes = {os.readlink(each).removeprefix("socket:[").rstrip("]") for each in (about / "fd").iterdir()}
    root = os.readlink(about / "ns/net") == os.readlink("/proc/self/ns/net")
    program = " ".join((about / "cmdline").read_text().split("\0"))[:200]
    found = set()
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        for line in (about / "net" / kind).read_text().splitlines()[1:]:
            _, local, remote, state, *rest = line.split()
            if rest[5] in inodes and (kind.startswith("udp") or state == _LISTENS):
                host, port = local.split(":")
                peer = int(remote.partition(":")[0], 16) != 0
                found.add(Open(kind[:3], str(_address(host)), int(port, 16), peer, root, program))
    for line in (about / "net/unix").read_text().splitlines()[1:]:
        _, _, _, flags, _, _, inode, *path = line.split()
        if inode in inodes and int(flags, 16) & _ACCEPTS:
            found.add(Open("unix", " ".join(path), 0, False, root, program))
    return found


def _address(text: str) -> IPv4Address | IPv6Address:
    words = [int(text[at : at + 8], 16).to_bytes(4, "little") for at in range(0, len(text), 8)]
    address = ip_address(b"".join(words))
    return getattr(address, "ipv4_mapped", None) or address


@contextmanager
def other_machine() -> Iterator[str]:
    """A namespace with a link to this machine, as another machine in its network has. Yields its name."""
    name, here = f"dz-other-{os.getpid()}", f"dzo{os.getpid() % 100_000}"
    for command in (
        f"ip netns add {name}",
        f"ip link add {here} type veth peer name eth0 netns {name}",
        f"ip address add {ROOT}/30 dev {here}",
        f"ip link set {here} up",
        f"ip -n {name} address add {OTHER}/30 dev eth0",
        f"ip -n {name} link set eth0 up",
        f"ip -n {name} route add default via {ROOT}",
    ):
        subprocess.run(command.split(), check=True)
    try:
        yield name
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


def addresses() -> set[str]:
    """This machine's IPv4 addresses, without those of the loopback."""
    listed = subprocess.run(["ip", "-json", "-4", "address"], capture_output=True, check=True).stdout
    found = {address["local"] for link in json.loads(listed) for address in link["addr_info"]}
    return {each for each in found if not ip_address(each).is_loopback}


def reachable(machine: str, ports: set[int]) -> set[int]:
    """The TCP ports of this machine that answer another one."""
    found = set()
    with inside(f"/run/netns/{machine}"):
        for port in ports:
            with socket.socket() as probe:
                probe.settimeout(5)
                if probe.connect_ex((ROOT, port)) == 0:
                    found.add(port)
    return found
