from __future__ import annotations

from ipaddress import IPv4Address

import pytest

from dropzero.controller.switches.view import Host, SwitchView, format_mac, parse_mac


def test_hosts_are_found_by_address() -> None:
    host = Host("h2", IPv4Address("10.0.0.2"), 0x22, 7)
    topology = SwitchView("s1", {"h2": host})
    assert topology.at(IPv4Address("10.0.0.2")) == host
    assert topology.at(IPv4Address("10.0.0.3")) is None


def test_mac_addresses_convert_to_numbers_and_back() -> None:
    assert parse_mac("02:00:00:00:00:fe") == 0x0200000000FE
    assert format_mac(0x0200000000FE) == "02:00:00:00:00:fe"


@pytest.mark.parametrize("text", ["8:0:0:0:1:11", "", "02:00:00:00:00:fg", "02:00:00:00:00:fe:01"])
def test_an_invalid_mac_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a MAC address"):
        parse_mac(text)
