"""Bounds of the lists of digests, whatever clients ask for."""

from __future__ import annotations

import pytest

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.digest_lists import MOST_IN_LIST, MOST_UNACKNOWLEDGED, DigestLists, Message
from dropzero.softswitch.p4runtime.pipeline.p4info import DigestInfo

HOUR = 3600 * 10**9


def lists(size: int, *, ack_timeout: int = 0) -> DigestLists:
    """Lists of one-value messages, with a timeout of an hour."""
    config = p4runtime_pb2.DigestEntry.Config(max_list_size=size, max_timeout_ns=HOUR, ack_timeout_ns=ack_timeout)
    return DigestLists(DigestInfo(1, "seen", "bitstring", (32,)), config)


@pytest.mark.parametrize("size", [0, 1 << 30])
def test_a_list_is_bounded_where_the_client_sets_no_bound(size: int) -> None:
    messages: list[Message] = [(number,) for number in range(3 * MOST_IN_LIST - 1)]
    sent = list(lists(size).learn(messages, now=0))
    assert [len(each.digest.data) for each in sent] == [MOST_IN_LIST, MOST_IN_LIST]


def test_the_oldest_lists_are_forgotten_where_the_client_acknowledges_none() -> None:
    digest = lists(1, ack_timeout=HOUR)
    messages: list[Message] = [(number,) for number in range(MOST_UNACKNOWLEDGED + 1)]
    assert len(list(digest.learn(messages, now=0))) == len(messages)
    assert list(digest.learn(messages[1:], now=1)) == []
    assert [each.digest.list_id for each in digest.learn(messages[:1], now=2)] == [len(messages) + 1]
