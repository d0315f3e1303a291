"""The embedded switch's answers to a case, in this process."""

from __future__ import annotations

import os
import tempfile
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.offline.state import config_of
from dropzero.softswitch.p4runtime.device import Device, Request
from dropzero.softswitch.p4runtime.entries import batch, entities
from lab.conformance.fuzzing.fuzz import cells_of
from lab.conformance.generated.case import PROGRAM, Answers, Case, state
from lab.conformance.harness import isolation

PRIORITY_QUEUES = 8
NOW = 1_000_000
SECONDS = 120.0
DONE = "answers"


class Failed(RuntimeError):
    """The embedded switch refused the program, ended, or hung."""


def answers(folder: Path, mutant: str | None = None, *, cache: Path | None = None) -> Answers:
    """Return the answers to the case in a folder, from a process of its own. mutant: the name of a change of the
    compiler. cache: a folder for compiled code, for several cases of one program. Raises Failed."""
    result, text = isolation.call(_isolated, (folder, mutant, cache), SECONDS)
    if result != DONE:
        raise Failed(f"{result}: {text}")
    return Answers.from_json(text)


def _isolated(folder: Path, mutant: str | None, kept: Path | None) -> tuple[str, str]:
    from lab.conformance.generated.mutants import MUTANTS

    change = next((each.applied() for each in MUTANTS if each.name == mutant), nullcontext())
    # Programs that run once must not push others out of the cache, and mutants must not come from it.
    with tempfile.TemporaryDirectory() as cache, change:
        os.environ["XDG_CACHE_HOME"] = cache if kept is None else str(kept)
        return DONE, run(folder).to_json()


def run(folder: Path) -> Answers:
    """Return the answers to the case in a folder, from this process. Raises Refusal if the program is refused."""
    case = Case.read(folder)
    device = Device(Switch(seed=1, priority_queues=PRIORITY_QUEUES))
    config = config_of(folder / PROGRAM)
    device.configure(Request.VERIFY_AND_COMMIT, config)
    pipeline = device.pipeline
    assert pipeline is not None
    outcomes = batch.write(pipeline, case.updates, p4runtime_pb2.WriteRequest.CONTINUE_ON_ERROR)
    packets = list(pipeline.engine.process(Frames.of(case.packets), NOW))
    read = partial(entities.read, pipeline)
    found = state(config.p4info, read, lambda register: cells_of(register, read))
    return Answers([outcome is None for outcome in outcomes], packets, found)
