"""Link rates that tc sets."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from dropzero.linux.netlink import link_rate
from tests.support.namespace import Namespace

HTB = ("qdisc add dev sw1 root handle 5:0 htb default 1", "class add dev sw1 parent 5:0 classid 5:1 htb")


@pytest.fixture
def namespace() -> Iterator[Namespace]:
    if os.geteuid() or not all(map(shutil.which, ("ip", "ethtool", "tc"))):
        pytest.skip("needs root, ip, ethtool and tc")
    made = Namespace(f"rates-{os.getpid()}", 1)
    try:
        yield made
    finally:
        made.close()


@pytest.mark.parametrize(
    ("commands", "rate"),
    [
        ((), None),
        # Mininet's TCLink.
        ((HTB[0], f"{HTB[1]} rate 0.5mbit burst 15k"), 500_000),
        ((HTB[0], f"{HTB[1]} rate 40gbit"), 40_000_000_000),
        ((HTB[0], f"{HTB[1]} rate 8mbit", "class add dev sw1 parent 5:1 classid 5:2 htb rate 2mbit"), 8_000_000),
        ((HTB[0], f"{HTB[1]} rate 8mbit", "class add dev sw1 parent 5:0 classid 5:2 htb rate 2mbit"), None),
        (
            (HTB[0], f"{HTB[1]} rate 8mbit", "qdisc add dev sw1 parent 5:1 tbf rate 2mbit burst 15k limit 15k"),
            8_000_000,
        ),
        (("qdisc add dev sw1 root tbf rate 3mbit burst 15k limit 15k",), 3_000_000),
        (("qdisc add dev sw1 root pfifo limit 10",), None),
    ],
)
def test_the_rate_is_that_at_the_root(namespace: Namespace, commands: tuple[str, ...], rate: int | None) -> None:
    for command in commands:
        namespace.command("tc", *command.split())
    with namespace.inside():
        assert link_rate("sw1") == rate
        assert link_rate("h1") is None
        with pytest.raises(OSError, match=r"[Nn]o such device|no interface"):
            link_rate("nothing")
