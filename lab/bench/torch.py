"""`python -m lab.bench.torch`: a transformer's training steps under torchrun, with Gloo and through the switch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from dropzero.console import wide_console
from dropzero.topologies.launching.launch import launch
from dropzero.topologies.launching.torchrun import Backend, agent, variables
from dropzero.topologies.orchestration.plan import Hosts, NetworkPlan, new_folder
from lab.bench.report import measuring
from lab.bench.testbed.step_times import ShardedTimes, StepTimes


def table(trainings: list[StepTimes], title: str) -> Table:
    made = Table(title=title, box=None)
    made.add_column(min_width=max(len(each.way) for each in trainings))
    for heading in (
        "MB sent",
        "received",
        "s per step",
        "speedup",
        "backward",
        "with sums",
        "longer",
        "with sums",
        "hidden",
    ):
        made.add_column(heading, justify="right")
    for each in trainings:
        made.add_row(
            each.way,
            f"{each.sent:.1f}",
            f"{each.received:.1f}",
            f"{each.step:.2f}",
            f"{trainings[0].step / each.step:.2f}",
            *(f"{s:.2f}" for s in (each.alone, each.backward, each.long_alone, each.long_backward)),
            f"{each.hidden:.0%}",
        )
    return made


def table_of_sharded(trainings: list[ShardedTimes], title: str) -> Table:
    made = Table(title=title, box=None)
    made.add_column(min_width=max(len(each.way) for each in trainings))
    for heading in ("MB sent", "received", "s per step", "speedup"):
        made.add_column(heading, justify="right")
    for each in trainings:
        numbers = f"{each.sent:.1f}", f"{each.received:.1f}", f"{each.step:.2f}"
        made.add_row(each.way, *numbers, f"{trainings[0].step / each.step:.2f}")
    return made


def main(
    workers: Annotated[int, typer.Option(min=2, max=32)] = 4,
    rate: Annotated[float, typer.Option(help="Rate of each link and direction, Mbit/s.")] = 100.0,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each training.")] = 5,
    sharded: Annotated[bool, typer.Option("--sharded", help="With FSDP2, not compressed.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for all files.")] = None,
) -> None:
    """Time the steps of a transformer of about 10 million parameters: dense with Gloo, dense through the switch, and
    with the largest tenth of its blocks. The trainings alternate in the same processes. Needs root and PyTorch.

    With --sharded: with Gloo, through the switch, and there with gradients of 16 bits.
    """
    console = wide_console()
    plan = NetworkPlan(Hosts(workers), rate=rate, out=out or new_folder())
    results = plan.out.absolute() / "torch.json"
    with measuring():
        module = "lab.bench.testbed.sharded" if sharded else "lab.bench.testbed.training"
        script = ["-m", module, str(results), str(steps)]
        launch(plan, agent(script, workers, 0), console, variables(Backend.DROPZERO), ranks=False)
    rows = json.loads(results.read_text())
    title = f"{rows[0][1] / 1e6:.1f} M parameters, {workers} workers, links of {rate:g} Mbit/s"
    if sharded:
        console.print(table_of_sharded([ShardedTimes(*row) for row in rows], title))
    else:
        console.print(table([StepTimes(*row) for row in rows], title))


if __name__ == "__main__":
    typer.run(main)
