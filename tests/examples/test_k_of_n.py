"""The example that answers after k of n workers: its rule on the compiled program, and its workers live."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from select import select

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import MAX_PAYLOAD, Kind
from dropzero.simulator.in_process import InProcessSwitch
from dropzero.simulator.tree import EPOCH, JOB
from dropzero.topologies.networks.kind import BMV2
from examples.k_of_n.completion import K_OF_N, K
from examples.k_of_n.worker import Worker
from tests.p4src.test_model import compare, packets
from tests.support.loopback import HOST, at_once, loopback

FOLDER = Path(__file__).parents[2] / "examples" / "k_of_n"
COMPILED = FOLDER / "compiled"
WORKERS = 4
JOBS = count(1)


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    subprocess.run([FOLDER.parents[1] / "p4src" / "compile", FOLDER.relative_to(FOLDER.parents[1])], check=True)


def renumbered(packet: Packet, worker: int) -> Packet:
    return replace(packet, worker=worker)


@settings(max_examples=150)
@given(st.lists(st.builds(renumbered, packets, st.integers(0, WORKERS - 1)), max_size=60))
def test_the_program_follows_the_model_for_packets_in_any_order(packets: list[Packet]) -> None:
    compare(packets, WORKERS, COMPILED, K_OF_N)


@settings(max_examples=20)
@given(st.permutations(range(32)), st.integers(0, 3), st.integers(2, 9))
def test_who_is_far_behind_does_what_the_model_says(ranks: list[int], late: int, rounds: int) -> None:
    """With any of 32 workers, different ones in each round. A worker in any earlier round gets the last result."""
    turns = [(ranks[(K * number + i) % 32], number) for number in range(rounds) for i in range(K)]
    turns += [(ranks[31], number) for number in (0, late, rounds - 1, rounds)]
    compare(
        [
            Packet(Kind.CONTRIBUTION, JOB, 0, EPOCH, number, worker, columns=(Column(),), data={0: ones(worker)})
            for worker, number in turns
        ],
        32,
        COMPILED,
        K_OF_N,
    )


def ones(value: int) -> NDArray[np.int32]:
    return np.full(32, value, np.int32)


def test_the_result_comes_with_contribution_k_and_the_last_one_to_who_is_late() -> None:
    switch = InProcessSwitch(list(range(WORKERS)), 1, compiled=COMPILED)

    def contribute(worker: int, number: int) -> list[tuple[object, int, int]]:
        """Contributes. Returns each answer: recipient, round, contributors."""
        packet = Packet(Kind.CONTRIBUTION, JOB, 0, EPOCH, number, worker, columns=(Column(),), data={0: ones(worker)})
        answers = [(to, Packet.decode(payload)) for to, payload in switch.receive(worker, packet.encode())]
        assert {answer.kind for _, answer in answers} <= {Kind.RESULT}
        return [(to, answer.round, answer.workers) for to, answer in answers]

    for number in range(5):
        assert contribute(0, number) == contribute(1, number) == []
        assert contribute(2, number) == [(to, number, 0b0111) for to in range(WORKERS)]
    # Rounds that are complete: this one, the one before, and one long past. Nothing is added to them.
    assert contribute(3, 4) == [(3, 4, 0b0111)]
    assert contribute(0, 5) == []
    assert contribute(3, 0) == contribute(3, 3) == [(3, 4, 0b0111)]
    assert contribute(3, 5) == []
    assert contribute(1, 5) == [(to, 5, 0b1011) for to in range(WORKERS)]


@pytest.fixture(scope="module")
def controller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = ("--json", str(COMPILED / "dropzero.json"), "--p4info", str(COMPILED / "dropzero.p4info.txtpb"))
    with loopback(tmp_path_factory.mktemp("k-of-n"), *program) as address:
        yield address


@pytest.fixture
def workers(controller: str) -> Iterator[list[Worker]]:
    job = next(JOBS)
    made = at_once(*(partial(Worker, controller, job, WORKERS, rank, HOST) for rank in range(WORKERS)))
    with ExitStack() as ends:
        for worker in made:
            ends.enter_context(worker.membership)
            ends.enter_context(worker.socket)
        yield made


def values(rank: int) -> NDArray[np.float64]:
    return np.random.default_rng(rank).integers(-1000, 1000, 256) / 64


def check_means(workers: list[Worker], *ranks: int) -> None:
    """Makes a round with these workers, and checks that the result is theirs."""
    mean = np.mean([values(rank) for rank in ranks], 0)
    for result, contributors in at_once(*(partial(workers[rank].mean, values(rank)) for rank in ranks)):
        assert contributors == ranks
        assert np.allclose(result, mean, rtol=0, atol=1e-12)


def test_k_workers_get_their_mean_while_another_is_silent(workers: list[Worker]) -> None:
    for _ in range(3):
        check_means(workers, 0, 1, 3)


def test_who_is_late_gets_the_last_result_and_takes_part_again(workers: list[Worker]) -> None:
    for _ in range(5):
        check_means(workers, 0, 1, 2)
    late = workers[3]
    # The results to it were lost: only the switch has them.
    while select([late.socket], [], [], 0)[0]:
        late.socket.recv(MAX_PAYLOAD)
    for number in (3, 4):
        # The round before the one being collected, and this one, which is complete.
        result, contributors = late.mean(values(3))
        assert (contributors, late.round) == ((0, 1, 2), number + 1)
        assert np.allclose(result, np.mean([values(rank) for rank in contributors], 0), rtol=0, atol=1e-12)
    check_means(workers, 0, 1, 3)


def test_fewer_than_k_wait_for_all_that_are_left(workers: list[Worker]) -> None:
    check_means(workers, 0, 1, 2)
    for rank in (3, 1):
        workers[rank].membership.__exit__(RuntimeError, RuntimeError("killed"), None)
    check_means(workers, 0, 2)


@pytest.mark.parametrize("switch", ["softswitch", "bmv2"])
def test_the_example_runs(switch: str) -> None:
    if switch == "bmv2" and not shutil.which(BMV2):
        pytest.skip("simple_switch_grpc is not on PATH: the example ran on the embedded switch only")
    ended = subprocess.run([sys.executable, FOLDER / "run.py", switch], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    rounds = re.findall(r"round \d+: .* is the mean of \((.*)\)", ended.stdout)
    assert rounds
    assert all(len(ranks.split(", ")) == K for ranks in rounds)


def test_an_edited_rule_is_compiled_before_it_runs_also_in_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "examples" / "mine"
    for folder in (tmp_path / "examples" / "k_of_n", copy):
        shutil.copytree(FOLDER, folder)
    shutil.copytree(FOLDER.parents[1] / "p4src", tmp_path / "p4src")
    with (copy / "completion.p4").open("a") as rule:
        rule.write("// edited\n")
    compiler = tmp_path / "p4c-bm2-ss"
    compiler.write_text('#!/bin/sh\necho "asked to compile $*" >&2\nexit 3\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    ended = subprocess.run([sys.executable, copy / "run.py"], capture_output=True, text=True)
    assert ended.returncode != 0
    assert "asked to compile" in ended.stderr
    assert "-I examples/mine" in ended.stderr
