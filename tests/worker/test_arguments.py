"""Invalid arguments are refused before anything is sent, with a line that lists valid ones."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from dropzero.membership.client import Membership, MembershipError
from dropzero.worker.caller import Caller
from dropzero.worker.communicator import Communicator, connect


@pytest.fixture
def network() -> Any:
    """The network of one of two workers, which cannot complete a call."""
    place = SimpleNamespace(rank=0, size=2, members=(0, 1))
    caller: Any = Mock(spec=Caller, place=place, closed="", settled=False)
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
def test_an_argument_that_is_not_an_array_is_named(network: Any, kind: str) -> None:
    with pytest.raises(ValueError, match=f"^collectives need numpy arrays, not {kind}$"):
        CALLS[kind](network)


def test_the_error_for_a_wrong_dtype_lists_the_possible_ones(network: Any) -> None:
    with pytest.raises(ValueError, match=r"^only float32, float16 and int32 arrays can be reduced, not float64$"):
        network.all_reduce(np.zeros(3))


@pytest.mark.parametrize("option", ["on_loss", "nonfinite", "when_full"])
def test_the_error_for_an_unknown_choice_lists_the_possible_ones(option: str) -> None:
    words: Any = {option: "x"}
    with pytest.raises(ValueError, match=rf"^{option} must be one of \w+, \w+.*, not x$"):
        connect("unix:/nowhere", 1, 1, **words)


NUMBERS = [
    *({"stall": each} for each in (None, 0, -1, "1", float("nan"))),
    *({"straggler": each} for each in (0, -1, 1e-6, "1", float("nan"))),
    *({"timeout": each} for each in (0, -1, "1", float("nan"))),
]


@pytest.mark.parametrize("options", NUMBERS, ids=str)
def test_an_invalid_time_is_refused(options: Any) -> None:
    """A straggler's time without length would keep the controller busy with nothing else."""
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name} must be at least 0.0.*1 seconds, not "):
        connect("unix:/nowhere", 1, 1, **options)


@pytest.mark.parametrize("value", [-1, 2.0, "2", 1 << 32])
@pytest.mark.parametrize("name", ["job", "size", "rank", "lanes", "quorum"])
def test_an_invalid_number_is_refused_by_name(name: str, value: Any) -> None:
    options: Any = {"job": 1, "size": 2, name: value}
    with pytest.raises(ValueError, match=f"^{name} must be a whole number, 0 or larger, not "):
        connect("unix:/nowhere", **options)


@pytest.mark.parametrize("address", [None, "", "nonsense", "host:", "host:x", "host:0", "host:65536", "unix:"])
def test_an_invalid_address_is_refused_at_once(address: Any) -> None:
    with pytest.raises(MembershipError, match=r"^a controller's address must be unix:PATH or HOST:PORT, not "):
        Membership(address, timeout=1e9)


def test_connect_times_out_when_no_controller_answers() -> None:
    with pytest.raises(MembershipError, match=r"^no controller answers at unix:/nowhere within 0\.1 s: "):
        connect("unix:/nowhere", 1, 1, timeout=0.1)
