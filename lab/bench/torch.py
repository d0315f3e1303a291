"""`python -m lab.bench.torch`: a transformer's training steps under torchrun, with Gloo and through the switch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from dropzero.console import table_of, wide_console
from dropzero.topologies.launching.launch import launch
from dropzero.topologies.launching.torchrun import Backend, agent, variables
from dropzero.topologies.orchestration.plan import Hosts, NetworkPlan, new_folder
from lab.bench.report import measuring
from lab.bench.testbed.step_times import StepTimes


def table(trainings: Sequence[StepTimes], title: str) -> Table:
    headings = ["", "MB sent", "received", "s per step", "speedup"]
    if trainings[0].backward:
        headings += ["backward", "with sums", "longer", "with sums", "hidden"]
    rows = []
    for each in trainings:
        row = [each.way, f"{each.sent:.1f}", f"{each.received:.1f}", f"{each.step:.2f}"]
        row.append(f"{trainings[0].step / each.step:.2f}")
        if each.backward:
            passes = each.alone, each.backward, each.long_alone, each.long_backward
            row += [*(f"{seconds:.2f}" for seconds in passes), f"{each.hidden:.0%}"]
        rows.append(row)
    return table_of(headings, rows, title)


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
    console.print(table([StepTimes(*row) for row in rows], title))


if __name__ == "__main__":
    typer.run(main)
