"""A whole run: network, switches, controller and workers, from start-up to the summary."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from dropzero.compressors.compression import Compression
from dropzero.topologies.orchestration.bring_up import brought_up
from dropzero.topologies.orchestration.dense import dense_uplink_bytes
from dropzero.topologies.orchestration.fault_injection import FaultInjection
from dropzero.topologies.orchestration.plan import Plan
from dropzero.topologies.orchestration.progress import Display
from dropzero.topologies.orchestration.recorder import Recorder, recorded
from dropzero.topologies.orchestration.summary import Summary
from dropzero.topologies.orchestration.team import Team
from dropzero.topologies.orchestration.watch import watch
from dropzero.topologies.processes.errors import RunError, SetupError

if TYPE_CHECKING:
    from dropzero.topologies.orchestration.tensorboard import Logs


@dataclass(frozen=True)
class Trained:
    """A run that has ended well. url: where its page is served; None: nowhere."""

    summaries: list[Summary]
    url: str | None


@contextmanager
def trained(
    plan: Plan, console: Console, *, page: bool = False, plot: bool = False, tensorboard: bool = False
) -> Iterator[Trained]:
    """Trains as planned, and leaves only the files in `plan.out` behind. In the context, the network is down, and only
    the page is still served.

    Args:
        page: record samples, and serve the run's page.
        plot: draw a plot for each job.
        tensorboard: write logs for TensorBoard.

    Raises:
        SetupError: the options or this machine do not allow it.
        RunError: a program of the run died, or the replicas differ.
        Interruption: a signal asked the run to end.
    """
    dense_per_step = _dense_per_step(plan)
    recorder: Recorder | None = None
    with ExitStack() as outlasting:
        with brought_up(plan, console, lambda: Compression.rehearse(plan.compress)) as network:
            teams = [Team(plan, network, job, dense_per_step) for job in range(plan.jobs)]
            faults = FaultInjection(plan.kill, plan.steps, plan.loss, network, teams[0])
            if page:
                recorder = outlasting.enter_context(recorded(plan, network, teams, console))
            logs = [outlasting.enter_context(_logs(team.folder)) for team in teams if tensorboard]
            for team in teams:
                team.start()
            with Display(console, plan.steps, recorder.board if recorder else None) as display:
                for standing in watch(network, teams):
                    display.show(standing)
                    for log, team in zip(logs, teams, strict=False):
                        log.follow(team.metrics)
                    faults.after(standing.step)
                    if recorder is not None:
                        recorder.sample(faults.kills)
            for team in teams:
                team.stop_counting()
            if recorder is not None:
                recorder.finish(faults.kills)
        summaries = [team.finish(faults.kills, plotted=plot) for team in teams]
        for team, summary in zip(teams, summaries, strict=True):
            if not summary.replicas_identical:
                raise RunError(f"the workers' weights differ: see weights_sha256 in {team.folder}/worker-*/result.json")
        if recorder is not None:
            recorder.end({"summaries": [asdict(summary) for summary in summaries]})
        yield Trained(summaries, recorder.url if recorder else None)


def _logs(folder: Path) -> Logs:
    # Importing it takes a tenth of a second.
    from dropzero.topologies.orchestration.tensorboard import Logs

    return Logs(folder / "tensorboard")


def _dense_per_step(plan: Plan) -> int:
    """Returns the bytes that one worker would send in one dense step."""
    from dropzero.compressors.network import wire_block
    from dropzero.compressors.spec import Spec
    from dropzero.controller.jobs.jobs import DEFAULT_LANES
    from dropzero.problems.digits import load
    from dropzero.training.replica import Replica, Settings

    settings = Settings(steps=plan.steps, seed=plan.seed, compress=plan.compress)
    try:
        replica = Replica(0, plan.workers, settings, load())
        spec = Spec.parse(plan.compress)
    except ValueError as error:
        raise SetupError(str(error)) from error
    return dense_uplink_bytes(replica.model.size, DEFAULT_LANES, wire_block(spec.sparsifier.block, 32))
