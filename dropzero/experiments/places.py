"""The places where trials run: all workers in this process, or one on each host of an emulated rack, through the
switch."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from threadpoolctl import threadpool_limits

from dropzero.compressors.compression import CompressionWarning
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.experiments.captured import captured
from dropzero.experiments.trials.experiment import Experiment, Row
from dropzero.problems.data import FILE
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.processes.errors import RunError
from dropzero.topologies.processes.follower import Follower
from dropzero.topologies.processes.process import Process, wait
from dropzero.traces.capture import CaptureError
from dropzero.worker.pump import rehearse

REFRESH = 0.25
"""Seconds between reads of the rows."""

LANES = 16
"""Few lanes, because every lane starts a sum with a packet of its own, and these vectors are small."""

Place = Callable[[Experiment, bool, Path], Iterator[Row]]
"""(experiment, quick, folder for logs) -> its rows."""


def in_process(experiment: Experiment, quick: bool, folder: Path) -> Iterator[Row]:
    """Runs all workers in this process, at each of the experiment's sizes; only the two smallest if `quick`."""
    with _measuring():
        for workers in experiment.workers[: 2 if quick else None]:
            network = InProcessNetwork(workers, lanes=LANES, rate=(experiment.rate or 50) * 1e6)
            for row in experiment.trials(network, quick):
                yield {"workers": workers, **row}


def on_rack(experiment: Experiment, quick: bool, folder: Path) -> Iterator[Row]:
    """Runs one worker on each host of a rack. Returns the first worker's rows; those of all are in rows-RANK.jsonl.

    Raises:
        SetupError: this machine cannot run a rack.
        RunError: a program on it died, or its captures are truncated.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept: list[Row] = []
    with Rack(experiment.hosts, folder, kind=SwitchKind.AUTO, rate=experiment.rate, pcap=experiment.captured) as rack:
        rack.start_switches()
        # Compile the code to disk first; otherwise all workers would compile it at once.
        rehearse()
        rack.start_controller()
        workers, files = [], [folder / f"rows-{rank}.jsonl" for rank in range(len(rack.hosts))]
        for rank, (host, rows) in enumerate(zip(rack.hosts, files, strict=True)):
            rows.unlink(missing_ok=True)
            command = [
                *(sys.executable, "-m", "dropzero.experiments", experiment.name, f"unix:{rack.controller_socket}"),
                *(str(experiment.hosts), str(rank), str(rows), str(int(quick)), str(FILE.get() or "")),
            ]
            log = rack.logs / f"worker-{rank}.log"
            workers.append(rack.adopt(host.launch(f"worker {rank}", command, log)))
        follower = Follower(files[0])
        for _ in _until_done(workers, rack.processes):
            found = [{"workers": experiment.hosts, **json.loads(row)} for row in follower.new()]
            if experiment.captured:
                kept += found
            else:
                yield from found
    # The switch has ended, so its captures are complete.
    if kept:
        try:
            yield from captured(kept, folder / "pcaps")
        except CaptureError as error:
            raise RunError(str(error)) from error


def _until_done(workers: list[Process], processes: list[Process]) -> Iterator[None]:
    """Yields from time to time until all workers have succeeded, and once after that.

    Raises:
        RunError: a process of the network ended, or a worker failed.
    """
    running = True
    while running:
        running = any(worker.status is None for worker in workers)
        alive = [process for process in processes if process not in workers or process.status is None]
        for process in wait(alive, REFRESH if running else 0):
            if process not in workers or process.status:
                raise RunError(process.failure_report())
        yield


def work(experiment: Experiment, controller: str, workers: int, rank: int, rows: Path, quick: bool) -> None:
    """Runs one worker on its host. All measure the same except for their own traffic. Writes the rows as JSON lines."""
    from dropzero.worker.communicator import connect

    with _measuring(), connect(controller, 1, workers, rank=rank, lanes=LANES) as network:
        with rows.open("w", buffering=1) as file:
            for row in experiment.trials(network, quick):
                file.write(json.dumps(row) + "\n")
        network.barrier()


@contextmanager
def _measuring() -> Iterator[None]:
    """One BLAS thread, and no warnings about compressions: some claims are about runs that diverge."""
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", CompressionWarning)
        yield


def one_blas_thread() -> AbstractContextManager[object]:
    """Limits BLAS to one thread: the workers share this machine, and the order of a sum must not depend on the number
    of cores."""
    limits: AbstractContextManager[object] = threadpool_limits(1, user_api="blas")
    return limits


PLACES: dict[str, Place] = {"process": in_process, "rack": on_rack}
