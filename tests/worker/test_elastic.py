"""Workers enter and leave a running job between collectives."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event

from dropzero.membership.operator_client import Operator
from tests.worker.places import Places
from tests.worker.programs.elastic import SIZE, work

PROGRAM = Path(__file__).parent / "programs" / "elastic.py"
SECONDS = 600.0


class Party:
    """The workers of one job, each on its own thread."""

    def __init__(self, network: Places, job: int, threads: ThreadPoolExecutor) -> None:
        self.network, self.job, self.threads = network, job, threads
        self.going = [Event() for _ in range(SIZE)]
        self.outcomes: dict[int, Future[dict[int, int]]] = {}

    def start(self, rank: int, more: int = 15) -> None:
        """Starts a worker that leaves `more` steps after worker 3 has entered."""

        def done(step: int) -> None:
            if step >= 3:
                self.going[rank].set()

        def there() -> dict[int, int]:
            with self.network.at(rank) as ip:
                return work(self.network.controller, self.job, rank, ip, more, done)

        self.outcomes[rank] = self.threads.submit(there)

    def outcome(self) -> list[dict[int, int]]:
        return [self.outcomes[rank].result(SECONDS) for rank in sorted(self.outcomes)]


def test_newcomers_get_the_state_and_leaving_members_are_not_waited_for(network: Places) -> None:
    with ThreadPoolExecutor(SIZE) as threads:
        party = Party(network, 1, threads)
        party.start(0)
        party.start(1, more=5)
        assert party.going[0].wait(SECONDS)
        party.start(2)
        assert party.going[2].wait(SECONDS)
        party.start(3, more=10)
        outcomes = party.outcome()
    assert 3 < min(outcomes[2]) < min(outcomes[3])
    last = max(outcomes[0])
    assert [max(digests) - last for digests in outcomes] == [0, -10, 0, -5]
    assert all(digests.items() <= outcomes[0].items() for digests in outcomes)


def test_a_member_killed_while_others_enter_does_not_affect_them(network: Places) -> None:
    command = [*network.prefix(0), sys.executable, str(PROGRAM), network.controller, "2", "0", network.ip(0), "15"]
    victim = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    with victim, ThreadPoolExecutor(SIZE) as threads:
        party = Party(network, 2, threads)
        party.start(1)
        assert party.going[1].wait(SECONDS)
        party.start(2)
        party.start(3)
        assert party.going[2].wait(SECONDS)
        victim.kill()
        outcomes = party.outcome()
    assert len({max(digests) for digests in outcomes}) == 1
    assert all(digests.items() <= outcomes[0].items() for digests in outcomes)


def test_epochs_that_end_while_workers_are_entering_change_nothing(network: Places) -> None:
    with ThreadPoolExecutor(SIZE) as threads, Operator(network.controller) as operator:
        party = Party(network, 3, threads)
        party.start(0)
        party.start(1)
        for rank in (2, 3):
            assert party.going[0].wait(SECONDS)
            party.start(rank)
            for _ in range(5):
                operator.reset(3)
            assert party.going[rank].wait(SECONDS)
        outcomes = party.outcome()
    assert len({max(digests) for digests in outcomes}) == 1
    assert all(digests.items() <= outcomes[0].items() for digests in outcomes)
