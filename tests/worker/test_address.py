"""A worker's own address, in a network of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ASK = f"{sys.executable} -c 'from dropzero.worker.address import own_ip; print(own_ip())'"


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
@pytest.mark.parametrize(
    ("interfaces", "said"),
    [
        ({"v0": [], "v1": ["10.0.0.2/24", "10.0.0.3/24"], "v2": ["10.0.1.1/24"]}, "10.0.0.2"),
        ({f"v{i}": [f"10.0.{i}.1/24"] for i in range(70)}, "10.0.0.1"),
        ({"v0": []}, "no interface has an IPv4 address"),
    ],
)
def test_the_own_address_is_the_first_that_is_not_of_the_loopback(interfaces: dict[str, list[str]], said: str) -> None:
    make = ["ip link set lo up"]
    for name, addresses in interfaces.items():
        make.append(f"ip link add {name} type veth peer name {name}-other")
        make += [f"ip address add {address} dev {name}" for address in addresses]
    script = "\n".join([*make, f"{ASK} 2>&1"])
    found = subprocess.run(["unshare", "--net", "sh", "-c", script], capture_output=True, text=True, check=False)
    assert said in found.stdout.splitlines()[-1]
