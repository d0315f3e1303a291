"""`python -m lab.bench.soak`: the memory of the embedded switch after millions of packets of an aggregation."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import numpy as np
import typer

from dropzero.console import wide_console
from dropzero.topologies.networks.kind import SwitchKind
from lab.bench.switch import LANES, aggregating, drive
from lab.conformance.harness.switches import resident

SLICES = 20
"""The number of measurements. During the first third, buffers grow to their final size."""


def main(
    seconds: Annotated[float, typer.Option(min=1.0, help="Seconds of traffic.")] = 60.0,
    out: Annotated[Path, typer.Option(help="JSON file for the numbers.")] = Path("runs/bench/soak.json"),
) -> None:
    """Measure memory over packets, and fit a line. Needs root."""
    if os.geteuid():
        raise typer.BadParameter("emulated networks need root")
    packets, memory = [0], []
    with TemporaryDirectory() as folder, aggregating("", SwitchKind.SOFTSWITCH, Path(folder), gso=True) as contender:
        for _ in range(SLICES):
            answered, _, _ = drive(contender.stations, LANES, seconds / SLICES)
            packets.append(packets[-1] + answered)
            memory.append(resident(contender.process.pid))
    millions = np.array(packets[1:]) / 1e6
    settled = SLICES // 3
    slope = np.polyfit(millions[settled:], memory[settled:], 1)[0]
    wide_console().print(
        f"After {millions[settled]:.1f} million packets the switch uses {memory[settled] / 1e6:.2f} MB, "
        f"after {millions[-1]:.1f} million {memory[-1] / 1e6:.2f} MB: {slope:+.0f} bytes per million packets",
        highlight=False,
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"packets": packets[1:], "bytes": memory}, indent=1) + "\n")


if __name__ == "__main__":
    typer.run(main)
