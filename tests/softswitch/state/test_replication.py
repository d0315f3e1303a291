"""Multicast groups."""

from __future__ import annotations

import pytest

from dropzero.softswitch.state.replication import CloneSessions, Multicast


def test_groups_are_set_replaced_and_deleted() -> None:
    multicast = Multicast()
    assert multicast.most_copies == 1
    multicast.set(5, [(1, 0), (2, 0), (3, 0)])
    multicast.set(9, [(4, 7)])
    assert multicast.groups == {5: [(1, 0), (2, 0), (3, 0)], 9: [(4, 7)]}
    assert multicast.most_copies == 3
    multicast.set(5, [(6, 1)])
    multicast.delete(9)
    assert multicast.groups == {5: [(6, 1)]}


@pytest.mark.parametrize("group", [0, -1, 1 << 16])
def test_a_group_number_that_does_not_fit_its_field_is_refused(group: int) -> None:
    with pytest.raises(ValueError, match="multicast groups are numbered 1 to 65535"):
        Multicast().set(group, [])


@pytest.mark.parametrize("kind", [Multicast, CloneSessions])
def test_replicas_that_do_not_fit_change_nothing(kind: type[Multicast] | type[CloneSessions]) -> None:
    made = kind()
    with pytest.raises(OverflowError):
        made.set(3, [(1 << 40, 0)])
    made.set(4, [(1, 0)])
    assert made.replicas.tolist() == [[1, 0]]
