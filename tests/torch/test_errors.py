"""What goes wrong on one rank is an error on all of them, which names it, and not a wrong sum."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.distributed import DistBackendError, FileStore, HashStore, ReduceOp, Work
from torch.nn.parallel import DistributedDataParallel

import dropzero
from dropzero.torch.options import Options
from dropzero.torch.process_group import Group, create
from dropzero.torch.rules import way
from tests.conftest import free_port
from tests.support.loopback import HOST, at_once
from tests.torch.groups import JOBS, in_group

EIGHT = torch.zeros(8)


def outcomes(controller: str, work: Callable[[Group], Any], size: int = 3, **options: Any) -> list[str]:
    """The errors' types and texts, by rank."""

    def failing(group: Group) -> str:
        try:
            work(group)
        except (RuntimeError, TypeError, OSError) as error:
            # Programs catch it as either.
            both = isinstance(error, DistBackendError) == isinstance(error, dropzero.ProtocolError)
            return f"{type(error).__name__}: {error}" if both else repr(type(error).__mro__)
        return "no error"

    return in_group(controller, failing, size, **options)


def test_another_shape_or_type_is_named(controller: str) -> None:
    others = {
        "float32[9]": lambda: torch.zeros(9),
        "int32[8]": lambda: torch.zeros(8, dtype=torch.int32),
        "all_reduce (SUM) of float64[8]": lambda: torch.zeros(8, dtype=torch.float64),
    }
    for name, make in others.items():

        def work(group: Group, make: Callable[[], torch.Tensor] = make) -> None:
            group.allreduce([make() if group.rank() == 1 else torch.zeros(8)]).wait()

        for said in outcomes(controller, work):
            assert said.startswith("Disagreement"), said
            assert f"worker 1 at call 0: {name}" in said.replace("all_reduce (sum) of ", "")


@pytest.mark.parametrize(
    ("dtype", "other", "text"),
    [
        (torch.float32, torch.bfloat16, "worker 1 at call 0: all_reduce of bfloat16 (sum) of float32[8]"),
        (torch.int32, torch.uint8, "worker 1 at call 0: all_reduce of uint8 (sum) of int32[8]"),
    ],
)
def test_another_type_that_travels_as_the_same_is_named(
    controller: str, dtype: torch.dtype, other: torch.dtype, text: str
) -> None:
    def work(group: Group) -> None:
        group.allreduce([torch.zeros(8, dtype=other if group.rank() == 1 else dtype)]).wait()

    found = outcomes(controller, work)
    assert found
    for said in found:
        assert said.startswith("Disagreement"), said
        assert text in said


def test_another_root_or_call_is_named(controller: str) -> None:
    def work(group: Group) -> None:
        mine = torch.zeros(8)
        if group.rank() == 1:
            group.allreduce([mine]).wait()
        else:
            group.reduce(mine, root=group.rank()).wait()

    found = outcomes(controller, work)
    assert found
    for said in found:
        assert said.startswith("Disagreement"), said
        assert "worker 1 at call 0: all_reduce (sum) of float32[8]" in said
        assert "worker 2 at call 0: reduce to 2 (sum) of float32[8]" in said


def test_a_rank_that_exits_in_the_middle_is_named_on_all_others(controller: str, tmp_path: Path) -> None:
    """Before the timeout, which is longer than the test may take."""
    options = Options(controller, next(JOBS), HOST)

    def place(rank: int) -> Any:
        store = FileStore(str(tmp_path / "store"), 3)
        return SimpleNamespace(
            store=store, group_rank=rank, group_size=3, global_ranks_in_group=[], timeout=timedelta(hours=1)
        )

    program = f"""if True:
        import os
        from datetime import timedelta
        from types import SimpleNamespace
        from torch.distributed import DistBackendError, FileStore
        from dropzero.torch.options import Options
        from dropzero.torch.process_group import create

        store = FileStore({str(tmp_path / "store")!r}, 3)
        place = SimpleNamespace(
            store=store, group_rank=2, group_size=3, global_ranks_in_group=[], timeout=timedelta(hours=1)
        )
        create(place, Options({controller!r}, {options.job}, {HOST!r})).barrier().wait()
        os._exit(7)
    """

    def member(rank: int) -> str:
        group = create(place(rank), options)
        try:
            group.barrier().wait()
            with pytest.raises(dropzero.WorkerLost) as error:
                group.allreduce([torch.ones(4)]).wait()
        finally:
            group.abort()
        return str(error.value)

    with subprocess.Popen([sys.executable, "-c", program]) as process:
        for said in at_once(partial(member, 0), partial(member, 1)):
            assert "worker 2" in said or "rank 2" in said
    assert process.returncode == 7


def test_another_all_gather_is_named(controller: str) -> None:
    def work(group: Group) -> None:
        length = 3 + group.rank() // 2
        group.all_gather_single(torch.zeros(3 * length), torch.zeros(length)).wait()

    found = outcomes(controller, work)
    assert found
    for said in found:
        assert "Disagreement" in said
        assert "worker 2 at call 0: all_gather_single of float32[4]" in said


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("broadcast from 0 of int32[8]", lambda group, odd: group.broadcast([odd(EIGHT, EIGHT.int())])),
        (
            "all_reduce of sparse float32[3, 2]",
            lambda group, odd: group.allreduce([torch.ones(odd(4, 3), 2).to_sparse(1)]),
        ),
        (
            "reduce_scatter of 2, 3, 3 rows",
            lambda group, odd: group.reduce_scatter([EIGHT[:3]], [EIGHT.split([odd(3, 2), odd(2, 3), 3])]),
        ),
    ],
)
def test_another_type_or_shape_is_named_where_it_is_not_of_what_travels(
    controller: str, text: str, call: Callable[[Group, Callable[[Any, Any], Any]], Any]
) -> None:
    def work(group: Group) -> None:
        call(group, lambda usual, odd: odd if group.rank() == 1 else usual).wait()

    found = outcomes(controller, work)
    assert found
    for said in found:
        assert said.startswith("Disagreement"), said
        assert f"worker 1 at call 0: {text}" in said


@pytest.mark.parametrize("rows", [1, 3])
def test_who_sends_another_number_than_is_expected_is_named(controller: str, rows: int) -> None:
    """Gloo would write past the output, or wait for ever; here the next exchange is right."""

    def work(group: Group) -> None:
        me, mine = group.rank(), torch.arange(6.0)
        sizes = [2, rows, 4 - rows] if me == 2 else [2, 2, 2]
        with pytest.raises(dropzero.Disagreement) as error:
            group.all_to_all_single(torch.zeros(6), mine, [2, 2, 2], sizes).wait()
        more = "fewer" if rows == 1 else "more"
        assert f"rank 2 sends rank 1 4 bytes {more} than that expects" in str(error.value)
        with pytest.raises(dropzero.Disagreement, match="rank 2 sends rank 0 "):
            group.alltoall([torch.zeros(2) for _ in range(3)], [mine[: 2 + me // 2]] * 3).wait()
        exchanged = torch.zeros(6)
        group.all_to_all_single(exchanged, mine, [], []).wait()
        assert exchanged.tolist() == [2 * me, 2 * me + 1] * 3

    in_group(controller, work)


def test_a_call_that_fails_before_its_collective_is_an_error_on_all(controller: str) -> None:
    def fail() -> None:
        raise OSError("no space left")

    def work(group: Group) -> None:
        call = group.line.add(fail) if group.rank() == 1 else group.allreduce([torch.ones(4)])
        call.wait()

    said = outcomes(controller, work)
    assert said.pop(1) == "OSError: no space left"
    for each in said:
        assert each.startswith("Aborted: worker 1 gave up call 0 (OSError: no space left")


# PyTorch's own.
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental:UserWarning")
def test_what_one_rank_cannot_reduce_all_hear_of_and_the_next_call_is_right(controller: str) -> None:
    def work(group: Group) -> list[Any]:
        dtype = torch.complex32 if group.rank() == 2 else torch.float32
        heard: Any = None
        try:
            group.allreduce([torch.zeros(4, dtype=dtype)]).wait()
        except (TypeError, dropzero.Aborted) as error:
            heard = error
        mine = torch.ones(4)
        group.allreduce([mine]).wait()
        return [heard, mine.tolist()]

    (first, second, third) = in_group(controller, work)
    assert isinstance(third[0], TypeError)
    for heard, _ in (first, second):
        assert isinstance(heard, dropzero.Aborted)
        assert heard.worker == 2
        assert "no SUM of torch.complex32" in heard.cause
    assert [total for _, total in (first, second, third)] == [[3.0] * 4] * 3


CALLS: Sequence[Callable[[Group, torch.Tensor, list[torch.Tensor]], Work]] = (
    lambda group, mine, several: group.allreduce([mine]),
    lambda group, mine, several: group.allreduce_coalesced(several),
    lambda group, mine, several: group.allreduce([mine.double()]),
    lambda group, mine, several: group.allreduce([mine.view(3, 1).to_sparse(1)]),
    lambda group, mine, several: group.reduce([mine], root=0),
    lambda group, mine, several: group.reduce_scatter([mine], [several]),
    lambda group, mine, several: group.broadcast([mine], root=0),
    lambda group, mine, several: group.barrier(),
    lambda group, mine, several: group.allgather([several], [mine]),
    lambda group, mine, several: group.all_gather_single(torch.ones(9), mine),
    lambda group, mine, several: group.gather([several][group.rank() :], [mine], root=0),
    lambda group, mine, several: group.scatter([mine], [several][group.rank() :], root=0),
    lambda group, mine, several: group.alltoall(several, several),
    lambda group, mine, several: group.all_to_all_single(torch.ones(3), mine, [], []),
)
"""All that a group of three can do together, with a tensor and a list of three, all of three elements."""


def test_a_rank_that_leaves_is_an_error_of_every_call_and_not_a_smaller_result(controller: str) -> None:
    def work(group: Group) -> None:
        group.barrier().wait()
        if group.rank() == 2:
            return
        for call in CALLS:
            mine, several = torch.ones(3), [torch.ones(3) for _ in range(3)]
            with pytest.raises(dropzero.WorkerLost, match="rank 2 of this group has left it"):
                call(group, mine, several).wait()

    in_group(controller, work)


def test_a_rank_that_leaves_in_the_middle_of_an_exchange_is_named(controller: str) -> None:
    """After the round in which all ranks say that they make the same call."""

    def work(group: Group) -> None:
        if group.rank() == 2:
            group.line.add(lambda: group.communicator.barrier("all_to_all of float32")).wait()
            return
        with pytest.raises(dropzero.WorkerLost, match="rank 2 of this group has left it"):
            group.alltoall([torch.ones(1) for _ in range(3)], [torch.ones(1)] * 3).wait()

    in_group(controller, work)


def test_a_rank_that_aborts_ends_its_own_call_and_those_of_others(controller: str) -> None:
    def work(group: Group) -> str:
        if group.rank() == 0:
            over.wait(600)
            return ""
        if group.rank() == 1:
            threading.Timer(0.5, group.abort).start()
        with pytest.raises(dropzero.WorkerLost) as error:
            group.allreduce([torch.ones(4)]).wait()
        over.set()
        return str(error.value)

    over = threading.Event()
    _, own, others = in_group(controller, work)
    assert own == "this worker has closed its connection to the controller"
    assert "worker 1" in others


def test_a_call_that_takes_too_long_says_who_is_missing(controller: str) -> None:
    def work(group: Group) -> None:
        if group.rank():
            try:
                group.allreduce([torch.ones(4)]).wait()
            finally:
                ended.release()
        else:
            assert all(ended.acquire(timeout=600) for _ in range(2))

    ended = threading.Semaphore(0)
    _, second, third = outcomes(controller, work, seconds=2)
    assert {second.partition(":")[0], third.partition(":")[0]} <= {"Stalled", "Aborted"}
    assert "worker 0" in second


def test_who_waits_less_long_than_the_call_gets_a_timeout(controller: str) -> None:
    def work(group: Group) -> None:
        if group.rank() == 0:
            call = group.allreduce([torch.ones(4)])
            with pytest.raises(DistBackendError, match=r"0\.2 s") as error:
                call.wait(timedelta(seconds=0.2))
            assert isinstance(error.value, TimeoutError)
            waited.set()
            call.wait()
        else:
            waited.wait()
            group.allreduce([torch.ones(4)]).wait()

    waited = threading.Event()
    in_group(controller, work, 2)


def test_the_future_of_a_call_that_fails_has_its_error(controller: str) -> None:
    def work(group: Group) -> None:
        call = group.allreduce([torch.zeros(8 + group.rank())])
        with pytest.raises(RuntimeError, match="Disagreement: the workers do not all make the same call"):
            call.get_future().wait()
        assert isinstance(call.exception(), dropzero.Disagreement)
        assert not call.is_success()

    in_group(controller, work, 2)


def test_after_the_end_there_are_no_calls(controller: str) -> None:
    kept: list[Group] = []
    in_group(controller, kept.append, 1)
    with pytest.raises(dropzero.Closed, match="it was destroyed") as error:
        kept[0].allreduce([torch.ones(2)])
    assert isinstance(error.value, DistBackendError)


def test_models_that_differ_are_an_error_on_all_when_they_are_wrapped(controller: str) -> None:
    def work(group: Group) -> None:
        DistributedDataParallel(torch.nn.Linear(3, 4 + group.rank() // 2), process_group=group)

    first, second, third = outcomes(controller, work)
    assert first.startswith("WorkerLost: rank 2 of this group has left it")
    assert second.startswith("WorkerLost: rank 2 of this group has left it")
    assert third.startswith("RuntimeError: ")
    assert "sizes [5, 3]" in third


# It forks on purpose, as some programs do, against which Python warns from 3.12 on.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_makes_no_calls_and_leaves_the_group_alone(controller: str) -> None:
    """Neither when it ends, with all that it would do at exit."""

    def work(group: Group) -> None:
        child = os.fork()
        if not child:
            refused = 0
            try:
                for call in (group.barrier, partial(group.send, [EIGHT], 0, 0), partial(group.recv, [EIGHT], 0, 0)):
                    with pytest.raises(dropzero.Closed, match="belongs to the process that this one was forked from"):
                        call()
                    refused += 1
                group.line._leave()
            finally:
                os._exit(refused)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        group.barrier().wait()

    in_group(controller, work, 1)


def test_infinities_spread_as_they_do_elsewhere(controller: str) -> None:
    def work(group: Group) -> None:
        mine = torch.ones(4)
        if group.rank() == 1:
            mine[2] = torch.inf
        group.allreduce([mine]).wait()
        assert not mine.isfinite().all()

    in_group(controller, work)


def places(*ranks: tuple[int, int], seconds: float = 60) -> list[SimpleNamespace]:
    """One for each rank and size, before any connection."""
    store, timeout = HashStore(), timedelta(seconds=seconds)
    return [
        SimpleNamespace(
            store=store, group_rank=rank, group_size=size, global_ranks_in_group=range(size), timeout=timeout
        )
        for rank, size in ranks
    ]


def test_members_that_do_not_agree_on_the_group_all_hear_of_it(controller: str) -> None:
    def member(place: SimpleNamespace) -> str:
        with pytest.raises(ValueError, match="makes a group of") as error:
            create(place, Options(controller, 1, HOST))
        return str(error.value)

    said = at_once(*(partial(member, place) for place in places((0, 2), (1, 3), (2, 3))))
    assert said[0] == "this rank, 0, makes a group of 2 ranks [0, 1], but rank 1 one of 3 ranks [0, 1, 2]"
    for each in said[1:]:
        assert each.endswith("but rank 0 one of 2 ranks [0, 1]")


def test_each_rank_may_make_a_group_of_its_own_alone(controller: str) -> None:
    """All have the same name and place, as those of a mixture of experts that are not sharded."""

    def member(rank: int, store: HashStore) -> None:
        place = SimpleNamespace(
            store=store, group_rank=0, group_size=1, global_ranks_in_group=[rank], timeout=timedelta(seconds=60)
        )
        for _ in range(2):
            group = create(place, Options(controller, ip=HOST))
            own = torch.full((3,), float(rank))
            group.allreduce([own]).wait()
            assert own.tolist() == [float(rank)] * 3
            group.shutdown()

    store = HashStore()
    at_once(*(partial(member, rank, store) for rank in range(3)))


def test_a_member_that_does_not_make_the_group_is_named(controller: str) -> None:
    (place,) = places((0, 3), seconds=0.1)
    with pytest.raises(TimeoutError, match=r"rank 1, 2 of this group did not make it within 0\.1 s"):
        create(place, Options(controller, 1, HOST))


@pytest.mark.parametrize(
    ("mine", "text"),
    [
        ({"controller": "unix:/nowhere/controller"}, "no controller listens at unix:/nowhere/controller: start one"),
        ({"ip": "192.0.2.77"}, "does not have the IPv4 address 192.0.2.77: set DROPZERO_IP, or the option ip"),
        ({"ip": "localhost"}, "does not have the IPv4 address localhost"),
    ],
)
def test_a_member_that_cannot_make_the_group_tells_the_others_why(
    controller: str, mine: dict[str, Any], text: str
) -> None:
    """Before the timeout, which is longer than the test may take."""

    def member(place: SimpleNamespace) -> str:
        options = Options(controller, 1, HOST)
        with pytest.raises((RuntimeError, OSError)) as error:
            create(place, replace(options, **mine) if place.group_rank == 1 else options)
        return f"{type(error.value).__name__}: {error.value}"

    said = at_once(*(partial(member, place) for place in places((0, 3), (1, 3), (2, 3), seconds=3600)))
    assert all(text in each for each in said)
    assert all(each.startswith("DistBackendError: rank 1 of this group could not make it") for each in said[::2])


def test_groups_are_not_split(controller: str) -> None:
    def work(group: Group) -> None:
        with pytest.raises(RuntimeError, match=r"no split_group: torch\.distributed\.new_group"):
            group.split_group([0])

    in_group(controller, work, 1)


def test_options_of_another_kind_are_refused() -> None:
    options: Any = {"controller": "unix:/tmp/a"}
    with pytest.raises(TypeError, match=r"dropzero\.torch\.Options, not a dict"):
        create(None, options)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"width": 12}, "elements take 32, 16 or 8 bits, not 12"),
        ({"width": 16, "block": 32}, r"a block of 16-bit elements has one of \(64, 128, 256, 512\), not 32"),
        ({"channels": 0}, "at least 1 channel, not 0"),
    ],
)
def test_options_that_no_call_could_use_are_refused(given: dict[str, int], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Options("unix:/tmp/a", **given)  # type: ignore[arg-type]


def test_a_job_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DROPZERO_JOB", "seven")
    with pytest.raises(ValueError, match="DROPZERO_JOB in the environment must be a number, 0 or larger, not 'seven'"):
        create(None, Options("unix:/tmp/a"))


@pytest.mark.parametrize(
    ("op", "dtype", "text"),
    [
        (ReduceOp(ReduceOp.BAND), torch.float32, "no BAND of torch.float32"),
        (ReduceOp(ReduceOp.AVG), torch.bool, "no AVG of torch.bool"),
        (ReduceOp(ReduceOp.SUM), torch.float8_e4m3fn, "no SUM of torch.float8_e4m3fn"),
        (torch.distributed._make_nccl_premul_sum(2.0), torch.int32, "PREMUL_SUM is of floats"),
    ],
)
def test_what_there_is_not_is_said(op: ReduceOp, dtype: torch.dtype, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        way(op, dtype)


def test_groups_without_numbers_have_jobs_of_their_own(controller: str) -> None:
    """And secrets that keep others out."""
    found: list[Options] = []

    def work(group: Group) -> None:
        found.append(group.options)

    for _ in range(2):
        in_group(controller, work, 2, options=Options(controller, None, HOST))
    assert len({each.job for each in found}) == 2
    assert len({each.token for each in found}) == 2
    in_group(controller, work, 1, options=Options(controller, next(JOBS), HOST))
    assert found[-1].token == ""


def test_a_rank_may_leave_at_once(controller: str) -> None:
    for _ in range(5):
        in_group(controller, lambda group: None)


@pytest.mark.parametrize("address", ["unix:{folder}/nobody.sock", "127.0.0.1:{port}"])
def test_without_a_controller_the_error_says_what_to_do(address: str, tmp_path: Path) -> None:
    address = address.format(folder=tmp_path, port=free_port())
    with pytest.raises(RuntimeError, match=rf"^no controller listens at {address}: start one .* DROPZERO_CONTROLLER"):
        in_group("", lambda group: None, 1, options=Options(address, 1, HOST))
