"""Starts a network, runs a command on every host, and reports the outcome."""

from __future__ import annotations

import math
import os
import shutil
import time
from collections.abc import Mapping, Sequence

from rich.console import Console

from dropzero.controller.p4runtime.device import Device
from dropzero.controller.p4runtime.errors import SwitchError
from dropzero.controller.switches.switch import Switch
from dropzero.membership.access import CONTROLLER_VARIABLE
from dropzero.protocol.wire import Fate
from dropzero.topologies.launching.outcome import Outcome, digest
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.orchestration.bring_up import brought_up
from dropzero.topologies.orchestration.plan import NetworkPlan
from dropzero.topologies.processes.errors import RunError, SetupError
from dropzero.topologies.processes.follower import Follower
from dropzero.topologies.processes.process import Process, search_path, stop, wait
from dropzero.topologies.registry.choice import VARIABLE
from dropzero.worker.environment import JOB_VARIABLE, RANK_VARIABLE, SIZE_VARIABLE

REFRESH = 0.1
"""Seconds between two reads of the programs' output."""
SUMMED = (Fate.ABSORBED, Fate.COMPLETED, Fate.PASSED_UP)
"""The fates of packets that are added up."""
PATIENCE = 2.0
"""Seconds within which a switch must answer."""
GRACE = 5.0
"""Seconds that the other programs have to end by themselves after one has failed."""


def launch(
    plan: NetworkPlan,
    command: Sequence[str],
    console: Console,
    variables: Mapping[str, str] | None = None,
    *,
    ranks: bool = True,
) -> Outcome:
    """Runs the command on every host. Leaves nothing behind but the files in `plan.out`, with summary.json.

    Shows the programs' output line by line, and keeps it in logs/. Their environment has what `dropzero.connect` reads.

    Args:
        plan: the network's options.
        command: a program and its arguments, run in this folder.
        console: for messages about the network.
        variables: additions to the environment.
        ranks: whether a program's rank is the number of its host; otherwise the program finds its rank by itself.

    Raises:
        SetupError: the options or this machine do not allow it.
        RunError: a program failed, or the workers' parameters differ.
        Interruption: a signal asked the run to end.
    """
    if shutil.which(command[0], path=search_path()) is None:
        raise SetupError(f"there is no command {command[0]}")
    with brought_up(plan, console) as network:
        begin = time.monotonic()
        programs = _start(network, command, variables or {}, ranks)
        failure = _show(network, programs)
        seconds = time.monotonic() - begin
        stop(programs.values())
        outcome = Outcome(
            command=list(command),
            parameters=plan.parameters | dict(variables or {}),
            workers=len(programs),
            racks=plan.racks,
            switch=network.kind,
            exit_statuses=[program.status for program in programs.values()],
            seconds=round(seconds, 3),
            uplink_bytes=network.uplink_bytes(),
            downlink_bytes=network.downlink_bytes(),
            trunk_bytes=sum(network.trunk_bytes().values()),
            summed_bytes=_summed_bytes(network),
            digests=[digest(program.log) for program in programs.values()],
        )
    outcome.write(plan.out / "summary.json")
    if failure is not None:
        raise RunError(failure)
    if outcome.replicas_identical is False:
        raise RunError(f"the workers' parameters differ: see digests in {plan.out}/summary.json")
    return outcome


def _summed_bytes(network: EmulatedNetwork) -> int | None:
    """Returns the bytes of the packets that the switches have added up; None if one of them does not answer."""
    total = 0
    try:
        for switch in network.switches:
            with Device(switch.address, switch.device, timeout=PATIENCE) as device:
                fates = Switch(device).fates()
            total += sum(fates[fate].bytes for fate in SUMMED)
    except SwitchError:
        return None
    return total


def _start(
    network: EmulatedNetwork, command: Sequence[str], variables: Mapping[str, str], ranks: bool
) -> dict[str, Process]:
    """Starts the command on every host. Returns the processes by the label of their output lines."""
    shared = {
        CONTROLLER_VARIABLE: f"unix:{network.controller_socket}",
        JOB_VARIABLE: "1",
        SIZE_VARIABLE: str(len(network.hosts)),
        VARIABLE: network.name,
        "PATH": search_path(),
        # Show Python's output at once. All hosts share this machine's cores.
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
        **variables,
    }
    programs = {}
    for rank, host in enumerate(network.hosts):
        own = {RANK_VARIABLE: str(rank)} if ranks else {}
        words = [f"{name}={value}" for name, value in (shared | own).items()]
        full = ["env", "--unset", RANK_VARIABLE, *words, *command]
        label, name = (str(rank), f"worker {rank}") if ranks else (host.name, "the agent")
        log = network.logs / f"worker-{label}.log"
        programs[label] = network.adopt(host.launch(f"{name} on {host.name}", full, log))
    return programs


def _show(network: EmulatedNetwork, programs: Mapping[str, Process]) -> str | None:
    """Shows the programs' output until all have ended, or until GRACE seconds after one has failed. Returns how the
    first one failed; None if none did."""
    workers = programs.values()
    others = [process for process in network.processes if process not in workers]
    output = {label: Follower(program.log) for label, program in programs.items()}
    failure, deadline = None, math.inf
    running = True
    while running:
        wait([process for process in network.processes if process.status is None], REFRESH)
        running = any(worker.status is None for worker in workers) and time.monotonic() < deadline
        for label, follower in output.items():
            for line in follower.new(last=not running):
                print(f"[{label}] {line}", flush=True)
        broken = [process for process in others if process.status is not None]
        failed = [worker for worker in workers if worker.status]
        if failure is None and (broken or failed):
            # A killed program brings the others down.
            culprit = min(broken or failed, key=lambda process: (process.status or 0) >= 0)
            failure = culprit.failure_report() if broken else f"{culprit.ending}; its output is in {culprit.log}"
            deadline = time.monotonic() + GRACE
    return failure
