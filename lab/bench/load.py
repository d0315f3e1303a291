"""`python -m lab.bench.load`: the time from the start of the embedded switch to its first packet through the
aggregation program, with and without compiled code in the cache."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated

import grpc
import typer
from rich.table import Table

from dropzero.console import table_of, wide_console
from dropzero.controller.p4runtime.device import Device
from dropzero.controller.switches.switch import Program, Settings, Switch
from dropzero.controller.switches.view import Host, SwitchView
from dropzero.files import COMPILED
from lab.bench.report import save
from lab.conformance.harness.switches import PacketStream

SECONDS = 60
STATIONS = {name: Host(name, IPv4Address(f"10.0.0.{port}"), port, port) for port, name in enumerate(("h1", "h2"), 1)}
PACKET = STATIONS["h2"].mac.to_bytes(6, "big") + STATIONS["h1"].mac.to_bytes(6, "big") + b"\x88\xb5" + bytes(46)


@dataclass(frozen=True)
class Load:
    """Durations in seconds.

    Attributes:
        listening: from the start until the switch listens.
        loading: from then until it has the program.
        forwarding: from then until it has forwarded a packet.
        cpu: CPU time of the switch and its compiler.
    """

    listening: float
    loading: float
    forwarding: float
    cpu: float


def load(program: Program, folder: Path) -> Load:
    """Start a switch, measure, and end it. folder: for its cache, and Python's bytecode."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"XDG_CACHE_HOME": str(folder), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    control, packets = f"unix:{folder}/p4runtime", f"unix:{folder}/packets"
    command = [sys.executable, "-m", "dropzero.softswitch", "--no-p4", "--dp-grpc-server-addr", packets]
    command += ["--", "--grpc-server-addr", control]
    before = _children_seconds()
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            listening = time.perf_counter()
            with Device(control, timeout=SECONDS) as device, grpc.insecure_channel(packets) as channel:
                device.become_primary()
                switch = Switch(device)
                switch.prepare(program)
                loaded = time.perf_counter()
                switch.configure(SwitchView("s1", STATIONS), Settings())
                stream = PacketStream(channel)
                stream.send(STATIONS["h1"].port, PACKET)
                assert stream.receive(1, 0) == [(STATIONS["h2"].port, PACKET)]
                end = time.perf_counter()
                stream.close()
        finally:
            process.terminate()
    return Load(listening - begin, loaded - listening, end - loaded, _children_seconds() - before)


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(repetitions: int) -> Iterator[tuple[str, Load]]:
    """Yield the content of the cache ("nothing" or "the program"), and the times of a start."""
    program = Program.read(COMPILED / "dropzero.json", COMPILED / "dropzero.p4info.txtpb")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Writes Python's bytecode.
        load(program, folder)
        for _ in range(repetitions):
            shutil.rmtree(folder / "dropzero")
            yield "nothing", load(program, folder)
            yield "the program", load(program, folder)


def table(loads: list[tuple[str, Load]]) -> Table:
    rows = []
    for cached in dict(loads):
        those = [each for what, each in loads if what == cached]
        times = [(each.listening, each.loading, each.forwarding) for each in those]
        columns = zip(*((*each, sum(each), load.cpu) for each, load in zip(times, those, strict=True)), strict=True)
        rows.append([cached, *(f"{statistics.median(column):.2f}" for column in columns)])
    headings = "in the cache", "listens", "has the program", "forwards", "total", "CPU time"
    return table_of(headings, rows, "From the switch's start to its first packet: seconds")


def main(
    repetitions: Annotated[int, typer.Option(min=1, help="Starts with each content of the cache.")] = 5,
    out: Annotated[Path, typer.Option(help="JSON file for the numbers.")] = Path("runs/bench/load.json"),
) -> None:
    """Measure how soon the switch forwards packets."""
    loads = list(measure(repetitions))
    wide_console().print(table(loads))
    save([{"cached": cached, **asdict(each)} for cached, each in loads], out)


if __name__ == "__main__":
    typer.run(main)
