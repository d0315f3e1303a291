"""A case: a program, what the control plane writes, and packets; and what a switch answers to it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from google.protobuf import text_format

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.offline.state import config_of
from lab.conformance.fuzzing.fuzz import THRIFT_BITS, Reader, differences, texts, units_of
from lab.conformance.fuzzing.generator import Packets, Pools
from lab.conformance.fuzzing.updates import Updates
from lab.conformance.generated import program
from lab.conformance.generated.controls import PORTS, SESSIONS
from lab.conformance.harness.compiler import compile_program

PROGRAM, P4INFO = "program.json", "program.p4info.txt"
ENTRIES, PACKETS, ANSWERS = "entries.txtpb", "packets.txt", "answers.json"
"""The files of a case in its folder, next to program.p4. The last one has BMv2's answers."""
SENT = 40
WRITTEN = 25
UNORDERED = ("resubmit", "recirculate", "E2E", "std.priority")
"""What makes the order of packets depend on BMv2's threads."""
Update = p4runtime_pb2.Update


class CompilerRefused(ValueError):
    """p4c does not compile the program."""


class Answers(NamedTuple):
    """What a switch answered.

    updates: whether it accepted each.
    packets: (port, content), in the order in which they left.
    state: entries, counters and registers at the end, as texts.
    """

    updates: list[bool]
    packets: list[tuple[int, bytes]]
    state: list[str]

    def to_json(self) -> str:
        packets = [(port, content.hex()) for port, content in self.packets]
        return json.dumps({**self._asdict(), "packets": packets}, indent=0)

    @classmethod
    def from_json(cls, text: str) -> Answers:
        found = json.loads(text)
        packets = [(port, bytes.fromhex(content)) for port, content in found["packets"]]
        return cls(found["updates"], packets, found["state"])


@dataclass(frozen=True)
class Case:
    """source: P4_16. updates: p4.v1.Updates. packets: (port, content)."""

    source: str
    updates: tuple[Any, ...] = ()
    packets: tuple[tuple[int, bytes], ...] = ()

    @classmethod
    def generate(cls, seed: int, folder: Path) -> Case:
        """Return the case of a seed, and write it into a folder. Raises CompilerRefused."""
        case = cls(program.source(seed))
        case.write(folder)
        pools = Pools(Random(seed), list(PORTS), list(SESSIONS))
        config = config_of(folder / PROGRAM)
        updates = Updates(config.p4info, pools)
        chosen = list(updates.first())
        while len(chosen) < WRITTEN:
            # BMv2 leaves the meter of a deleted entry to the next one.
            chosen += [each for each in updates.some() if each.type != Update.DELETE]
        packets = Packets(json.loads(config.p4_device_config), pools)
        sent = [(pools.random.choice(PORTS), packets.packet()) for _ in range(SENT)]
        case = replace(case, updates=tuple(chosen), packets=tuple(sent))
        case.write(folder)
        return case

    @classmethod
    def read(cls, folder: Path) -> Case:
        """Raises OSError, or ValueError for files that are no case."""
        request = text_format.Parse((folder / ENTRIES).read_text(), p4runtime_pb2.WriteRequest())
        pairs = [line.split() for line in (folder / PACKETS).read_text().splitlines()]
        packets = tuple((int(port), bytes.fromhex(content)) for port, content in pairs)
        return cls((folder / "program.p4").read_text(), tuple(request.updates), packets)

    def write(self, folder: Path) -> None:
        """Write the case into a folder, and compile its program unless it is there. Raises CompilerRefused."""
        self.save(folder)
        if complaint := compile_program(folder / "program.p4", folder / PROGRAM):
            raise CompilerRefused(complaint)

    def save(self, folder: Path) -> None:
        """Write the case into a folder, without compiling its program."""
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "program.p4"
        if not source.exists() or source.read_text() != self.source:
            source.write_text(self.source)
        request = p4runtime_pb2.WriteRequest(updates=self.updates)
        (folder / ENTRIES).write_text(text_format.MessageToString(request))
        (folder / PACKETS).write_text("".join(f"{port} {content.hex()}\n" for port, content in self.packets))

    def differences(self, mine: Answers, other: Answers) -> Iterator[str]:
        """Yield what the two switches answered differently, as texts."""
        for update, ours, theirs in zip(self.updates, mine.updates, other.updates, strict=True):
            if ours != theirs:
                answers = ("refused", "accepted")
                text = text_format.MessageToString(update, as_one_line=True)
                yield f"update {answers[ours]}, by the other {answers[theirs]}: {text}"
        ordered = not any(word in self.source for word in UNORDERED)
        yield from differences(mine.packets, other.packets, ordered)
        here, there = Counter(mine.state), Counter(other.state)
        yield from (f"only here: {text}" for text in (here - there).elements())
        yield from (f"only on the other: {text}" for text in (there - here).elements())


def state(p4info: Any, read: Reader, cells: Callable[[Any], list[int]]) -> list[str]:
    """Return the entries, counters and registers of a switch as texts. cells: returns the values of a register."""
    units, questions = units_of(p4info), Updates(p4info, Pools(Random(0), [], [])).questions()
    found = [text for question in questions for text in texts(read, question, units)]
    short = [each for each in p4info.registers if each.type_spec.bitstring.bit.bitwidth < THRIFT_BITS]
    return found + [f"{each.preamble.name} {cells(each)}" for each in short]
