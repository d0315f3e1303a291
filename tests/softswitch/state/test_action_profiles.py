"""Action profiles: members that entries share, and groups from which a hash selects a member."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.program.model import Exact
from dropzero.softswitch.state.tables.table_error import TableError, TableErrorKind
from dropzero.softswitch.state.tables.targets import Group, Member
from tests.support.bmv2_program import Bmv2Program, assign, extract, field, key, parameter, run, standard


def engine(*, selector: bool = True, width: int = 8) -> Engine:
    """Two tables with one profile: the first on h.x, and after a hit the second on h.y. The selector is h.y, of that
    width."""
    program = Bmv2Program(None, h={"x": 8, "y": width, "z": 8})
    program.profile("p", 4, *(("identity", field("h", "y")) if selector else ()))
    program.state("start", extract("h"))
    program.action("send", assign(standard("egress_spec"), parameter(0)), port=9)
    program.action("mark", assign(field("h", "z"), parameter(0)), value=8)
    program.action("mark", assign(field("h", "z"), parameter(0)), value=8)
    kind = "indirect_ws" if selector else "indirect"
    program.table(
        "t", ["send", "mark"], keys=(key(field("h", "x")),), type=kind, action_profile="p", hit="u", with_counters=True
    )
    program.table("u", ["mark", "send"], keys=(key(field("h", "y")),), type=kind, action_profile="p")
    return program.engine()


def refused(kind: TableErrorKind) -> pytest.RaisesExc[TableError]:
    return pytest.raises(TableError, check=lambda error: error.kind is kind)


def test_entries_of_all_tables_run_their_members_actions() -> None:
    it = engine(selector=False)
    profile = it.action_profiles["p"]
    profile.add_member(70, "send", (5,))
    profile.add_member(80, "mark", (6,))
    it.tables["t"].insert((Exact(1),), Member(70))
    it.tables["t"].insert((Exact(2),), Member(80))
    it.tables["u"].insert((Exact(1),), Member(80))
    packets = b"\x01\0\0", b"\x01\x01\0", b"\x02\0\0", b"\x03\x01\0"
    assert run(it, *packets) == [(5, b"\x01\0\0"), (5, b"\x01\x01\x06"), (0, b"\x02\0\x06"), (0, b"\x03\x01\0")]
    profile.modify_member(70, "mark", (9,))
    assert run(it, b"\x01\0\0") == [(0, b"\x01\0\x09")]
    entry = next(it.tables["t"].entries())
    assert (entry.action, entry.parameters, entry.packets) == (Member(70), (), 3)


def test_a_group_spreads_packets_over_its_members() -> None:
    it = engine()
    profile = it.action_profiles["p"]
    for number, port in ((3, 30), (1, 10), (2, 20)):
        profile.add_member(number, "send", (port,))
    profile.add_group(5, [1, 2, 3, 3])
    it.tables["t"].insert((Exact(1),), Group(5))
    # Members are in the order of insertion; the hash is h.y.
    ports = [port for port, _ in run(it, *(bytes([1, at, 0]) for at in range(8)))]
    assert ports == [30, 30, 10, 20] * 2
    profile.modify_group(5, [2])
    assert [port for port, _ in run(it, *(bytes([1, at, 0]) for at in range(3)))] == [20] * 3


def test_the_selector_is_the_lower_32_bits_of_a_longer_hash() -> None:
    it = engine(width=64)
    profile = it.action_profiles["p"]
    for number in range(3):
        profile.add_member(number, "send", (number,))
    profile.add_group(5, range(3))
    it.tables["t"].insert((Exact(1),), Group(5))
    hashes = (1, 5, 1 << 32, 0xFEDCBA98_76543210)
    ports = [port for port, _ in run(it, *(bytes([1, *hashed.to_bytes(8, "big"), 0]) for hashed in hashes))]
    assert ports == [hashed % 2**32 % 3 for hashed in hashes] != [hashed % 3 for hashed in hashes]


def test_a_member_takes_the_lowest_free_handle() -> None:
    it = engine()
    profile = it.action_profiles["p"]
    for number in (1, 2):
        profile.add_member(number, "send", (number,))
    for number in (1, 2):
        profile.delete_member(number)
    for number in (3, 4):
        profile.add_member(number, "send", (number,))
    profile.add_group(5, [3, 4])
    it.tables["t"].insert((Exact(1),), Group(5))
    assert [port for port, _ in run(it, *(bytes([1, at, 0]) for at in range(2)))] == [3, 4]


def test_an_empty_group_does_nothing() -> None:
    it = engine()
    it.action_profiles["p"].add_group(5)
    it.tables["t"].insert((Exact(1),), Group(5))
    assert run(it, b"\x01\0\0") == [(0, b"\x01\0\0")]


def test_members_and_groups_in_use_cannot_be_deleted() -> None:
    it = engine()
    profile, table = it.action_profiles["p"], it.tables["t"]
    for number in (1, 2):
        profile.add_member(number, "send", (number,))
    profile.add_group(1, [1])
    table.insert((Exact(1),), Group(1))
    table.insert((Exact(2),), Member(2))
    for delete, number in ((profile.delete_member, 1), (profile.delete_member, 2), (profile.delete_group, 1)):
        with refused(TableErrorKind.IN_USE):
            delete(number)
    table.modify((Exact(2),), Group(1))
    profile.delete_member(2)
    table.clear()
    profile.delete_group(1)
    profile.delete_member(1)
    assert (profile.members, profile.groups) == ({}, {})


def test_deleted_members_and_groups_make_room() -> None:
    it = engine()
    profile = it.action_profiles["p"]
    for number in range(4):
        profile.add_member(number, "send", (number,))
    with refused(TableErrorKind.FULL):
        profile.add_member(9, "send", (9,))
    profile.delete_member(2)
    profile.add_member(9, "send", (9,))
    it.tables["t"].insert((Exact(1),), Member(9))
    assert run(it, b"\x01\0\0") == [(9, b"\x01\0\0")]


def test_a_profile_refuses_invalid_requests() -> None:
    it = engine()
    profile, table = it.action_profiles["p"], it.tables["t"]
    profile.add_member(1, "send", (1,))
    profile.add_group(1)
    calls: tuple[tuple[TableErrorKind, Callable[[], None]], ...] = (
        (TableErrorKind.DUPLICATE, lambda: profile.add_member(1, "send", (1,))),
        (TableErrorKind.DUPLICATE, lambda: profile.add_group(1)),
        (TableErrorKind.UNKNOWN_ACTION, lambda: profile.add_member(2, "fly")),
        (TableErrorKind.PARAMETER_COUNT, lambda: profile.add_member(2, "send")),
        (TableErrorKind.PARAMETER_VALUE, lambda: profile.modify_member(1, "send", (512,))),
        (TableErrorKind.NOT_FOUND, lambda: profile.modify_member(2, "send", (1,))),
        (TableErrorKind.NOT_FOUND, lambda: profile.delete_group(2)),
        (TableErrorKind.NOT_FOUND, lambda: profile.modify_group(1, [1, 2])),
        (TableErrorKind.NOT_FOUND, lambda: table.insert((Exact(1),), Member(2))),
        (TableErrorKind.UNKNOWN_ACTION, lambda: table.insert((Exact(1),), "send", (1,))),
    )
    for kind, call in calls:
        with refused(kind):
            call()
    assert (list(profile.members), profile.groups, len(table)) == ([1], {1: ()}, 0)


def test_a_default_member_or_group_acts_on_packets_that_no_entry_matches() -> None:
    it = engine()
    profile = it.action_profiles["p"]
    profile.add_member(3, "mark", (9,))
    profile.add_member(4, "send", (7,))
    profile.add_group(5)
    it.tables["t"].insert((Exact(1),), Member(4))
    it.tables["t"].set_default(Member(3))
    # A miss leads past the table u.
    it.tables["u"].set_default(Member(4))
    assert run(it, b"\x01\0\0", b"\x02\0\0") == [(7, b"\x01\0\0"), (0, b"\x02\0\x09")]
    it.tables["t"].set_default(Group(5))
    assert run(it, b"\x02\0\0") == [(0, b"\x02\0\0")], "an empty group does nothing"
    profile.modify_group(5, (3,))
    assert run(it, b"\x02\0\0") == [(0, b"\x02\0\x09")]
    with refused(TableErrorKind.IN_USE):
        profile.delete_group(5)
    assert it.tables["t"].default == Group(5)
    it.tables["t"].reset_default()
    profile.delete_group(5)
    assert run(it, b"\x02\0\0") == [(0, b"\x02\0\0")]
    with refused(TableErrorKind.NOT_FOUND):
        it.tables["t"].set_default(Group(5))
    with refused(TableErrorKind.UNKNOWN_ACTION):
        it.tables["t"].set_default("send", (1,))
