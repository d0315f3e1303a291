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
from lab.bench.testbed.step_times import StepTimes


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


def main(
    workers: Annotated[int, typer.Option(min=2, max=32)] = 4,
    rate: Annotated[float, typer.Option(help="Rate of each link and direction, Mbit/s.")] = 100.0,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each training.")] = 5,
    out: Annotated[Path | None, typer.Option(help="Folder for all files.")] = None,
) -> None:
    """Time the steps of a transformer of about 10 million parameters: dense with Gloo, dense through the switch, and
    with the largest tenth of its blocks. The trainings alternate in the same processes. Needs root and PyTorch."""
    console = wide_console()
    plan = NetworkPlan(Hosts(workers), rate=rate, out=out or new_folder())
    results = plan.out.absolute() / "torch.json"
    with measuring():
        script = ["-m", "lab.bench.testbed.training", str(results), str(steps)]
        launch(plan, agent(script, workers, 0), console, variables(Backend.DROPZERO), ranks=False)
    trainings = [StepTimes(*each) for each in json.loads(results.read_text())]
    title = f"{trainings[0].parameters / 1e6:.1f} M parameters, {workers} workers, links of {rate:g} Mbit/s"
    console.print(table(trainings, title))


if __name__ == "__main__":
    typer.run(main)
