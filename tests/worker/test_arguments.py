"""Invalid arguments are refused before anything is sent, with a line that lists valid ones."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dropzero.membership.client import Membership, MembershipError
from dropzero.worker.communicator import Communicator, connect


@pytest.fixture
def network() -> Any:
    """The network of one of two workers, which cannot complete a call."""
    place = SimpleNamespace(rank=0, size=2, members=(0, 1))
    caller: Any = SimpleNamespace(place=place, closed="", failed=lambda error: None)
    return Communicator(caller, ExitStack())


CALLS: dict[str, Callable[[Any], object]] = {
    "list": lambda network: network.all_reduce([1.0]),
    "float": lambda network: network.all_reduce(1.0),
    "NoneType": lambda network: network.broadcast(None),
    "tuple": lambda network: network.all_gather((1, 2)),
    "dict": lambda network: network.all_reduce(np.zeros(1, np.float32), out={}),
    "str": lambda network: network.reduce_scatter("12"),
    "set": lambda network: network.all_reduce_many([{1}]),
    "range": lambda network: network.sparse_all_reduce(np.zeros(1, np.int32), range(1)),
}


@pytest.mark.parametrize("kind", CALLS)
def test_what_is_no_array_is_named(network: Any, kind: str) -> None:
    with pytest.raises(ValueError, match=f"^collectives are of numpy arrays, not of a {kind}$"):
        CALLS[kind](network)


def test_a_type_that_cannot_be_reduced_is_named_with_those_that_can(network: Any) -> None:
    with pytest.raises(ValueError, match=r"^float32, float16 and int32 arrays can be reduced, not float64$"):
        network.all_reduce(np.zeros(3))


@pytest.mark.parametrize("option", ["on_loss", "nonfinite", "when_full"])
def test_a_word_that_connect_does_not_know_is_refused_with_those_that_it_does(option: str) -> None:
    words: Any = {option: "x"}
    with pytest.raises(ValueError, match=r"^one of \w+, \w+.*, not x$"):
        connect("unix:/nowhere", 1, 1, **words)


NUMBERS = [
    *({"stall": each} for each in (None, 0, -1, "1", float("nan"))),
    *({"straggler": each} for each in (0, -1, 1e-6, "1", float("nan"))),
    *({"timeout": each} for each in (0, -1, "1", float("nan"))),
]


@pytest.mark.parametrize("options", NUMBERS, ids=str)
def test_a_time_that_is_none_is_refused(options: Any) -> None:
    """A straggler's time without length would keep the controller busy with nothing else."""
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name} is a number of seconds from 0.0.*1, not "):
        connect("unix:/nowhere", 1, 1, **options)


@pytest.mark.parametrize("value", [-1, 2.0, "2", 1 << 32])
@pytest.mark.parametrize("name", ["job", "size", "rank", "lanes", "quorum"])
def test_a_number_that_is_none_is_refused_by_name(name: str, value: Any) -> None:
    options: Any = {"job": 1, "size": 2, name: value}
    with pytest.raises(ValueError, match=f"^{name} is a whole number from 0, not "):
        connect("unix:/nowhere", **options)


@pytest.mark.parametrize("address", [None, "", "nonsense", "host:", "host:x", "host:0", "host:65536", "unix:"])
def test_what_is_no_address_is_refused_at_once(address: Any) -> None:
    with pytest.raises(MembershipError, match=r"^a controller's address is unix:PATH or HOST:PORT, not "):
        Membership(address, timeout=1e9)


def test_connecting_gives_up_in_time_when_no_controller_answers() -> None:
    with pytest.raises(MembershipError, match=r"^no controller answers at unix:/nowhere within 0\.1 s: "):
        connect("unix:/nowhere", 1, 1, timeout=0.1)
