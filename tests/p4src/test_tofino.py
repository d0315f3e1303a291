"""The Tofino program, compiled for v1model: equal to the model of a slot, and used by the workers' lanes."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dropzero import files
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.files import TOFINO
from dropzero.problems.digits import load
from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import Fate, Kind
from dropzero.simulator.in_process import InProcessSwitch
from dropzero.simulator.tree import EPOCH, JOB
from dropzero.training.replica import Settings
from lab.tofino import page
from lab.tofino.mutants import MUTANTS, SOURCES, Mutant
from lab.tofino.resources import place, read
from lab.tofino.schedules import Difference, check
from tests.support.network import Fabric, all_reduce, members
from tests.support.training_in_process import train_in_process

NO_COMPILER = "p4c-bm2-ss is not installed"
LANES = 16


def test_the_committed_program_is_of_these_sources() -> None:
    recorded = dict(line.split("  ")[::-1] for line in (TOFINO.parent / "sources.sha256").read_text().splitlines())
    found = {name: hashlib.sha256((SOURCES.parent / name).read_bytes()).hexdigest() for name in recorded}
    assert {Path(name).name for name in recorded} > {path.name for path in (SOURCES / "tofino").glob("*.p4")}
    assert recorded == found, "p4src/tofino/ has changed since it was compiled: run `make p4`"


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_the_program_follows_the_model_on_random_schedules(first: int) -> None:
    """`python -m lab.tofino equal` runs 1,000 of them."""
    fates = check(range(first, first + 20), TOFINO)
    assert set(fates) == {
        *(Fate.ABSORBED, Fate.COMPLETED, Fate.REPLAYED, Fate.MISSING, Fate.STALE),
        *(Fate.EPOCH, Fate.WORKER),
    }


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_mutant_changes_the_program(mutant: Mutant) -> None:
    source = (SOURCES / "tofino" / mutant.file).read_text()
    assert mutant.applied(source) != source


def test_a_schedule_notices_a_mutant(tmp_path: Path) -> None:
    """`python -m lab.tofino mutants` compiles all."""
    if not shutil.which("p4c-bm2-ss"):
        pytest.skip(f"{NO_COMPILER}: mutants of the Tofino program were not compiled")
    assert MUTANTS[0].noticed(tmp_path) is not None


def test_compiling_it_again_gives_the_same(tmp_path: Path) -> None:
    compiler = shutil.which("p4c-bm2-ss")
    if compiler is None:
        pytest.skip(f"{NO_COMPILER}: the digest of the sources was compared, the compiled program was not")
    shutil.copytree(SOURCES, tmp_path / "p4src")
    subprocess.run([tmp_path / "p4src/compile", "p4src/tofino"], check=True, capture_output=True)
    for name in ("program.json", "program.p4info.txtpb"):
        again = tmp_path / "dropzero/tofino_program" / name
        assert again.read_bytes() == (TOFINO.parent / name).read_bytes()


def test_a_wrong_answer_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    receive = InProcessSwitch.receive

    def twice(self: InProcessSwitch, sender: int | str, payload: bytes) -> list[tuple[int | str, bytes]]:
        return receive(self, sender, payload) * 2

    monkeypatch.setattr(InProcessSwitch, "receive", twice)
    with pytest.raises(Difference, match=r"(?s)^schedule 0: after \d+ packets, .* instead of "):
        check(range(1), TOFINO)


@pytest.mark.parametrize(
    ("change", "fate"),
    [
        ({"job": 99}, Fate.JOB),
        ({"lane": LANES}, Fate.LANE),
        ({"worker": 9}, Fate.WORKER),
        ({"secret": 1}, Fate.SECRET),
        ({"worker": 1}, Fate.PORT),
        ({"kind": Kind.RESULT}, Fate.KIND),
        ({"columns": ()}, Fate.MALFORMED),
    ],
    ids=str,
)
def test_a_packet_that_is_not_a_members_has_no_answer(change: dict[str, Any], fate: Fate) -> None:
    switch = InProcessSwitch([0, 1], LANES, compiled=TOFINO)
    packet = Packet(Kind.CONTRIBUTION, JOB, 0, EPOCH, 0, 0, columns=(Column(),))
    assert switch.receive(0, replace(packet, **change).encode()) == []
    assert switch.fates() == {fate: 1}


class Switched(InProcessNetwork):
    """Workers' lanes whose sums a switch makes, in packets with room for `room` words, over a bad network."""

    def __init__(self, size: int, compiled: Path, room: int) -> None:
        super().__init__(size)
        switch = InProcessSwitch([*range(size)], LANES, compiled=compiled)
        self.fabric = Fabric({"switch": switch.receive}, ["switch"] * size)
        self.ends, self.room, self.calls = members(size, LANES), room, 0

    def all_reduce(self, rows: NDArray[Any], /, **options: Any) -> NDArray[Any]:
        block = options.pop("block", 32)
        assert options.pop("operation", "sum") in ("sum", "mean")
        self.calls += 1
        total, *others = all_reduce(
            self.ends, self.fabric, [*rows], trouble=0.02, seed=self.calls, block=block, room=self.room
        )
        for other in others:
            assert np.array_equal(total, other)
        return np.asarray(total)


def test_training_through_it_gives_the_same_weights() -> None:
    """In packets of one block, as through the switch program in packets of eight, and as without packets."""
    settings = Settings(compress="topk(0.1,block=32)+ef", steps=4)

    def weights(network: InProcessNetwork) -> list[str]:
        return [replica.weights_sha256() for replica in train_in_process(3, settings, load(), network)]

    first, *others = weights(Switched(3, TOFINO, room=32))
    assert others == [first, first]
    assert weights(Switched(3, files.COMPILED, room=256)) == [first] * 3
    assert weights(InProcessNetwork(3)) == [first] * 3


def test_the_page_lists_all_mutants_and_each_is_noticed() -> None:
    rows = [line.split(" | ") for line in page.read("mutants").splitlines()[2:]]
    assert [row[0].removeprefix("| ") for row in rows] == [mutant.name for mutant in MUTANTS]
    assert [row for row in rows if not row[1].startswith("schedule ")] == []


def test_a_placement_counts_what_each_stage_holds(tmp_path: Path) -> None:
    def stage(alus: int, srams: int, tables: int) -> dict[str, Any]:
        return {
            "meter_alus": {"meters": [{"usages": [{"used_by": "ingress.block.sum0"}]}] * alus},
            "rams": {"srams": [{}] * srams},
            "tcams": {"tcams": []},
            "logical_tables": {"ids": [{}] * tables},
        }

    stages = [stage(0, 3, 2), *[stage(4, 8, 4)] * 12, stage(0, 0, 0)]
    units = {kind: [{"width": 8, "units": 48}, {"width": 32, "units": 16}] for kind in ("normal", "tagalong")}
    parsers = [{"gress": "ingress", "nStates": 256, "states": [{}] * 17}]
    resources = {"mau": {"mau_stages": stages}, "phv_containers": units, "parser": {"parsers": parsers}}
    report = {"compiler_version": "9", "resources": resources}
    phv = {"containers": [{"container_type": "tagalong", "bit_width": 32}] * 3}
    placed = read(report, phv, "tofino")
    assert not placed.fits
    assert read(report, phv, "tofino2").fits
    assert placed.stages[1].sums == 4
    assert placed.packet_rows() == [
        "| PHV containers | 8 bits | 32 bits |",
        "|---|---|---|",
        "| normal | 0 of 48 | 0 of 16 |",
        "| tagalong | 0 of 48 | 3 of 16 |",
        "",
        "States of the parsers: 17 of 256 in ingress.",
    ]
    placed.draw(tmp_path / "stages.svg")
    written = re.findall("<!-- (.*) -->", (tmp_path / "stages.svg").read_text())
    assert {"SRAMs, of 80", "TCAMs, of 24", "tables, of 16", "12"} <= {*written}
    assert "13" not in written
    assert placed.rows()[:3] == [
        "| stages: 13 of 12 | " + " | ".join(map(str, range(13))) + " |",
        "|---" * 14 + "|",
        "| stateful ALUs |  | " + " | ".join("4" * 12) + " |",
    ]


def test_the_compiler_places_the_program(tmp_path: Path) -> None:
    compiler = os.environ.get("P4C_TOFINO")
    if not compiler:
        pytest.skip("P4C_TOFINO does not name p4c-barefoot: the Tofino program was not placed")
    assert place(compiler, SOURCES / "tofino/program.p4", "tofino2", tmp_path).fits
