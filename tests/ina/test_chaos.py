"""Protocols under random faults: what they stand, and whose fault it is if they do not."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from dropzero.cli import program
from dropzero.ina import emulated, virtual
from dropzero.ina.audit import AuditError
from dropzero.ina.chaos import draw, survive
from dropzero.ina.conditions import Conditions, Stop
from dropzero.ina.folder import Folder
from dropzero.ina.outcome import Outcome
from dropzero.page import samples as samples_file
from dropzero.simulator.kernel.links import Quality
from dropzero.topologies.networks.kind import SwitchKind
from tests.support import ROOT

FOLDERS = sorted(path.parent for path in (ROOT / "examples" / "protocols").glob("*/program.p4"))
TRIO_ML = ROOT / "examples" / "protocols" / "trio_ml"
ELEMENTS = 20_000
CALM = Conditions(Quality(10**9, 1000))


def simulated(folder: Folder, conditions: Conditions, **options: str) -> Outcome:
    protocol = folder.protocol(3, options)
    return virtual.run(folder, protocol, ELEMENTS, conditions)


def exit_status(*words: str) -> int:
    return program("protocol")(["protocol", *words], standalone_mode=False) or 0


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_protocol_survives_random_faults(folder: Path) -> None:
    found = Folder(folder)
    wait = "patience" if folder.name == "optireduce" else "timeout"
    survived = survive(found.protocol(3, {}), CALM, 8, lambda conditions: simulated(found, conditions, **{wait: "2ms"}))
    assert {"loss", "duplicate", "reorder", "stopped host"} <= survived.faults.keys()
    assert ("killed worker" in survived.faults) == found.kind.partial


def test_the_same_seed_draws_the_same_faults() -> None:
    protocol = Folder(TRIO_ML).protocol(3, {})
    drawn = [draw(protocol, CALM, 10**6, number) for number in (1, 2, 1)]
    assert drawn[0] == drawn[2] != drawn[1]


def test_links_that_cannot_do_it_neither_duplicate_nor_reorder() -> None:
    protocol = Folder(TRIO_ML).protocol(3, {})
    for number in range(20):
        fault = draw(protocol, CALM, 10**6, number).quality
        assert draw(protocol, CALM, 10**6, number, only_loss=True).quality == Quality(10**9, 1000, fault.loss)
        at_once = draw(protocol, Conditions(Quality(10**9)), 10**6, number).quality
        assert at_once == Quality(10**9, 0, fault.loss, fault.duplicate)


def test_all_wait_for_a_host_that_stops() -> None:
    found = Folder(ROOT / "examples" / "protocols" / "switchml")
    stops = Stop(0, 100_000, 400_000_000), Stop(2, 0, 300_000_000)
    outcome = simulated(found, Conditions(CALM.quality, stops=stops))
    assert outcome.whole == 1
    assert outcome.seconds > 0.4


def test_the_others_get_their_sums_without_a_worker_that_is_killed() -> None:
    outcome = simulated(
        Folder(TRIO_ML), Conditions(CALM.quality, stops=(Stop(1, 300_000),)), window="8", patience="10ms"
    )
    assert 0 < outcome.whole < 1


def test_a_worker_that_the_protocol_cannot_do_without_is_missed() -> None:
    found = Folder(ROOT / "examples" / "protocols" / "switchml")
    with pytest.raises(AuditError, match="worker 0 has not received all sums"):
        simulated(found, Conditions(CALM.quality, stops=(Stop(1, 0),)))


@pytest.mark.parametrize(
    ("name", "folder", "seen", "rule", "wrong"),
    [
        ("TrioML", "trio_ml", "whose_0", "==", ">="),
        ("ATP", "atp", "whose_0", "==", ">="),
        ("SwitchML", "switchml", "here_0", "!=", "<"),
    ],
)
def test_a_switch_that_adds_repetitions_is_reported_as_its_protocols_with_the_round(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, folder: str, seen: str, rule: str, wrong: str
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(TRIO_ML.parent / folder, copy)
    code = copy / "compiled" / "program.json"
    condition = f',"left":{{"type":"expression","value":{{"op":"&","left":{{"type":"field","value":["scalars","{seen}"]'
    assert f'"{rule}"{condition}' in code.read_text()
    code.write_text(code.read_text().replace(f'"{rule}"{condition}', f'"{wrong}"{condition}'))
    assert exit_status(str(copy), "--virtual-time", "--rate=1G", "--size=100kB", "--chaos=20") == 1
    message = capsys.readouterr().err
    assert message.startswith(f"dropzero: {name} is wrong: round ")
    assert "to host" in message or "worker" in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("virtual_time", [True, False])
def test_an_exception_of_the_protocols_own_code_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], virtual_time: bool
) -> None:
    wrong = tmp_path / "wrong"
    shutil.copytree(TRIO_ML, wrong)
    source = wrong / "protocol.py"
    source.write_text(source.read_text().replace("1 << self.rank, number, 0)", "1 << self.rank, -number, 0)"))
    words = ["--virtual-time"] if virtual_time else []
    assert exit_status(str(wrong), "--size=10kB", *words) == 1
    message = capsys.readouterr().err
    line = len(source.read_text().splitlines())
    assert f"{source}, line {line}: error: " in message
    assert message.startswith("dropzero: TrioML is wrong: ")
    assert len(message.splitlines()) == 1


def test_a_file_that_does_not_load_is_named(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    shutil.copytree(TRIO_ML, wrong)
    (wrong / "protocol.py").write_text("def")
    with pytest.raises(ValueError, match=r"wrong/protocol.py: SyntaxError: invalid syntax"):
        Folder(wrong)


def test_processes_stop_and_are_killed(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_status(str(TRIO_ML), "--size=50kB", "--workers=3", "--seed=1", "--chaos=1") == 0
    shown = capsys.readouterr().out
    assert "killed worker" in shown
    assert "stopped host" in shown


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_the_page_marks_a_host_that_is_killed(tmp_path: Path) -> None:
    found = Folder(TRIO_ML)
    # The rate lets its packets take longer than this process may be kept from its core.
    conditions = Conditions(Quality(10**6), stops=(Stop(1, 0),))
    emulated.run(found, found.protocol(3, {}), {}, ELEMENTS, conditions, SwitchKind.SOFTSWITCH, tmp_path, record=True)
    _, *samples, _ = map(json.loads, (tmp_path / samples_file.NAME).read_text().splitlines())
    assert [event for sample in samples for event in sample["events"]] == [["kill", "h2 was killed"]]
    assert samples[-1]["gone"] == ["h2"]
