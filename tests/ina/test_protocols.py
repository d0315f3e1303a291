"""The protocols of examples/protocols: their sums are right whatever is lost, in virtual time and over real sockets."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.exceptions import TyperException

from dropzero.cli import program
from dropzero.ina import virtual
from dropzero.ina.audit import Audit, AuditError
from dropzero.ina.conditions import Conditions
from dropzero.ina.folder import Folder
from dropzero.ina.outcome import PATIENCE, Outcome
from dropzero.ina.protocol import Claim, Protocol, Slot
from dropzero.page import samples as samples_file
from dropzero.page import standalone
from dropzero.simulator.kernel.links import Quality
from tests.support import ROOT

FOLDERS = sorted(path.parent for path in (ROOT / "examples" / "protocols").glob("*/program.p4"))
IN_SWITCH = [path for path in FOLDERS if "forward.p4" not in (path / "program.p4").read_text()]
EXACT = [path for path in FOLDERS if path.name != "optireduce"]
"""Those that send again what is lost."""
PATIENT = {"trio_ml": {"patience": "60s"}, "optireduce": {"patience": "1s"}}
"""Options with which a protocol waits for all workers, also on a busy machine."""
SIZES = {"scin": 1024}
"""Elements of a packet, if there are not 256."""
KEPT = {"switchml", "trio_ml"}
"""Those whose slots keep their last sum."""
READABLE = KEPT | {"atp", "esa", "canary"}
"""Those that read their slots for the page of a run."""
FAULTS = {"loss": 0.02, "duplicate": 0.02}
ELEMENTS = 40_000


def named(folder: Path) -> str:
    return folder.name


def simulated(
    folder: Path,
    quality: Quality,
    seed: int = 0,
    options: Mapping[str, str] = MappingProxyType({}),
    workers: int = 3,
    density: float = 1.0,
) -> Outcome:
    found = Folder(folder)
    return virtual.run(found, found.protocol(workers, options), ELEMENTS, Conditions(quality, seed, density=density))


@pytest.mark.parametrize("folder", EXACT, ids=named)
@pytest.mark.parametrize("seed", range(3))
def test_all_sums_are_right_when_links_lose_and_duplicate(folder: Path, seed: int) -> None:
    quality = Quality(10**10, 1000, **FAULTS, reorder=0.02)
    outcome = simulated(folder, quality, seed, {"timeout": "200us", **PATIENT.get(folder.name, {})})
    assert outcome.identical
    assert outcome.whole == 1
    assert outcome.sums >= 3 * ELEMENTS / SIZES.get(folder.name, 256)


@pytest.mark.parametrize("folder", [path for path in FOLDERS if path.name != "canary"], ids=named)
def test_a_worker_may_be_alone(folder: Path) -> None:
    """Without a switch that adds up, it has its sum at once. Canary says that it needs a leader for others."""
    words = ["protocol", str(folder), "--virtual-time", "--workers=1", "--size=10kB"]
    assert not program("protocol")(words, standalone_mode=False)


@pytest.mark.parametrize("folder", IN_SWITCH, ids=named)
def test_without_loss_each_packet_is_sent_once_at_the_rate_of_the_links(folder: Path) -> None:
    outcome = simulated(folder, Quality(10**9, 1000))
    packets = -(-ELEMENTS // SIZES.get(folder.name, 256))
    assert outcome.packets <= 3 * 2 * packets + packets * 2
    assert 4 * 8 * ELEMENTS / outcome.seconds > 0.9 * 10**9


def test_what_finds_its_aggregator_taken_is_added_up_by_the_server() -> None:
    folder = ROOT / "examples" / "protocols" / "atp"
    quality = Quality(10**10, 1000)
    free, taken = (
        simulated(folder, quality, 0, {"aggregators": number, "timeout": "200us"}) for number in ("1024", "2")
    )
    assert free.whole == taken.whole == 1
    assert taken.packets > 1.2 * free.packets
    # Each packet is a worker's or the server's, so fewer of these are sums of several workers.
    assert taken.sums / taken.packets < free.sums / free.packets


PROTOCOLS = ROOT / "examples" / "protocols"


@pytest.mark.parametrize("name", ["switchml", "atp", "esa"])
def test_jobs_share_a_switch_and_each_gets_its_own_sums(name: str) -> None:
    options = {"jobs": "3", "timeout": "200us"}
    outcome = simulated(PROTOCOLS / name, Quality(10**10, 1000, **FAULTS), 0, options, workers=6)
    assert outcome.whole == 1
    assert outcome.identical
    assert len(outcome.jobs) == 3
    assert max(outcome.jobs) == outcome.seconds


def test_jobs_that_cannot_share_the_workers_are_refused() -> None:
    with pytest.raises(ValueError, match="2 jobs cannot share 3 workers equally"):
        Folder(PROTOCOLS / "atp").protocol(3, {"jobs": "2"})


def test_packets_of_a_higher_priority_take_aggregators_from_others() -> None:
    quality = Quality(10**10, 1000)
    options = {"jobs": "2", "aggregators": "16", "timeout": "1ms"}
    equal = simulated(PROTOCOLS / "atp", quality, 0, options, workers=8)
    first, second = simulated(PROTOCOLS / "esa", quality, 0, options | {"priorities": "200,0"}, workers=8).jobs
    assert first < second
    assert first < min(equal.jobs)


def test_a_server_asks_for_the_rest_of_a_sum_before_workers_send_again() -> None:
    options = {"jobs": "2", "aggregators": "8", "timeout": "10ms"}
    soon, never = (
        simulated(PROTOCOLS / "esa", Quality(10**10, 1000), 0, options | {"remind": remind}, workers=8)
        for remind in ("50us", "1s")
    )
    assert soon.whole == never.whole == 1
    assert soon.seconds < 0.01 < never.seconds


@pytest.mark.parametrize(("name", "options"), [("omnireduce", {"columns": "8"}), ("zen", {})])
def test_what_is_zero_everywhere_is_not_sent(name: str, options: Mapping[str, str]) -> None:
    quality = Quality(10**9, 1000)
    dense, sparse = (simulated(PROTOCOLS / name, quality, 0, options, density=each) for each in (1.0, 0.05))
    assert sparse.whole == 1
    assert sparse.seconds < 0.4 * dense.seconds


def test_a_tensor_of_zeros_is_added_up_too() -> None:
    for name in ("omnireduce", "zen"):
        assert simulated(PROTOCOLS / name, Quality(10**9, 1000), density=0).whole == 1


def test_what_does_not_repeat_lost_packets_ends_in_time_with_an_error() -> None:
    folder = PROTOCOLS / "optireduce"
    calm = simulated(folder, Quality(10**9, 1000), options={"patience": "1ms"})
    assert (calm.whole, calm.error) == (1, 0)
    lossy = simulated(folder, Quality(10**9, 1000, loss=0.02), options={"patience": "1ms"})
    assert lossy.seconds < calm.seconds + 0.004
    assert 0.8 < lossy.whole < 1
    assert 0 < lossy.error < 0.5


@given(st.integers(0, 9), st.integers(1, 9000))
def test_a_transform_can_be_undone_and_spreads_each_element(seed: int, elements: int) -> None:
    protocol = Folder(PROTOCOLS / "optireduce").protocol(3, {})
    tensor = np.random.default_rng(seed).integers(-(1 << 14), 1 << 14, elements, np.int32)
    sent = protocol.encode(tensor)
    assert protocol.decode(sent.astype(np.float64))[:elements].tolist() == tensor.tolist()
    one = np.zeros(elements, np.int32)
    one[0] = 7
    assert set(np.abs(protocol.encode(one)[:4096])) == {7}


@given(st.integers(0, 9), st.integers(1, 32))
def test_a_sum_of_bytes_is_rounded_to_the_next_of_256_numbers(seed: int, workers: int) -> None:
    protocol = Folder(PROTOCOLS / "scin").protocol(workers, {})
    sums = np.random.default_rng(seed).integers(-128, 128, (workers, 1000), np.int32).sum(0, dtype=np.int32)
    rounded = protocol.rounded(sums, workers)
    step = 2 ** int(np.ceil(np.log2(workers)))
    assert np.abs(rounded - sums).max() <= step / 2
    assert set(np.unique((rounded + 128 * workers) % step)) == {0}
    assert (rounded + 128 * workers).max() <= 255 * step


def test_the_audit_finds_sums_that_are_rounded_otherwise(tmp_path: Path) -> None:
    copy = tmp_path / "scin"
    shutil.copytree(PROTOCOLS / "scin", copy)
    code = copy / "compiled" / "program.json"
    half = '"op":">>","left":{"type":"expression","value":{"op":"&","left":{"type":"expression","value":{"op":"<<"'
    assert half in code.read_text()
    code.write_text(code.read_text().replace(half, half.replace(">>", "<<", 1)))
    with pytest.raises(AuditError, match=r"the switch to host \d, packet \d+: element \d+ is"):
        simulated(copy, Quality(10**10, 1000))


TRIO_ML = ROOT / "examples" / "protocols" / "trio_ml"


def test_a_switch_with_a_timeout_leaves_out_who_is_late() -> None:
    found = Folder(TRIO_ML)
    protocol = found.protocol(3, {"patience": "10ms", "timeout": "1ms"})
    conditions = Conditions(Quality(10**9, 1000), late=1_000_000_000)
    outcome = virtual.run(found, protocol, ELEMENTS, conditions)
    # The last block of each slot is still there: the sum of the two others. Before, it is that of nobody.
    assert outcome.whole == 0
    assert not outcome.identical
    patient = found.protocol(3, {"patience": "10s", "timeout": "1ms"})
    outcome = virtual.run(found, patient, ELEMENTS, conditions)
    assert outcome.whole == 1


def test_workers_wait_for_one_that_is_very_late() -> None:
    found = Folder(ROOT / "examples" / "protocols" / "switchml")
    protocol = found.protocol(3, {"timeout": "1s"})
    conditions = Conditions(Quality(10**9, 1000), late=3 * PATIENCE)
    outcome = virtual.run(found, protocol, 1000, conditions)
    assert outcome.whole == 1


def test_the_audit_finds_a_switch_that_adds_repetitions(tmp_path: Path) -> None:
    copy = tmp_path / "trio_ml"
    shutil.copytree(TRIO_ML, copy)
    program = copy / "compiled" / "program.json"
    condition = ',"left":{"type":"expression","value":{"op":"&","left":{"type":"field","value":["scalars","whose_0"]'
    assert program.read_text().count(f'"=="{condition}') == 1
    program.write_text(program.read_text().replace(f'"=="{condition}', f'">="{condition}'))
    assert simulated(copy, Quality(10**10, 1000)).whole == 1
    with pytest.raises(
        AuditError, match=r"the switch to host \d, packet \d+: element \d+ is .*, but the sum of workers"
    ):
        simulated(copy, Quality(10**10, 1000, duplicate=0.02))


@pytest.mark.parametrize("switch", ["softswitch", "bmv2"])
@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_a_process_for_each_host_comes_to_the_same_over_real_sockets(folder: Path, switch: str, tmp_path: Path) -> None:
    if switch == "bmv2" and not shutil.which("simple_switch_grpc"):
        pytest.skip("no simple_switch_grpc on PATH")
    faults = FAULTS if switch == "softswitch" else {"loss": 0.02, "delay": 0}
    options = [word for name, value in faults.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "dropzero", "protocol", str(folder), "--workers", "3", "--size", "100kB"]
    command += ["--switch", switch, "--out", str(tmp_path)]
    options += [word for name, value in PATIENT.get(folder.name, {}).items() for word in ("--set", f"{name}={value}")]
    ended = subprocess.run([*command, *options, "--json", "-"], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    outcome = json.loads(ended.stdout)
    if folder in EXACT:
        assert (outcome["whole"], outcome["identical"]) == (1, True)
    else:
        assert 0 < outcome["error"] < 0.5
    assert outcome["sums"] >= 3 * 25_000 / SIZES.get(folder.name, 256)
    assert_recorded(tmp_path, folder.name, serves_registers=switch == "softswitch")


def assert_recorded(out: Path, name: str, *, serves_registers: bool) -> None:
    """The page of a run shows its links, and in each slot workers that have contributed, or are missing."""
    assert (out / standalone.NAME).exists()
    heading, *samples, end = map(json.loads, (out / samples_file.NAME).read_text().splitlines())
    assert "every one exact" in end["over"]["text"]
    workers = [index for index, (host, _) in enumerate(heading["links"]) if heading["hosts"][host][0] > 0]
    assert len(workers) == 3
    assert all(min(samples[-1]["links"][index][1:4:2]) > 0 for index in workers)
    readings = [sample["switches"]["s1"].get("slots") for sample in samples]
    slots = [slot for reading in readings for slot in reading or []]
    if name in KEPT and serves_registers:
        assert readings[-1]
    assert not slots or (name in READABLE and serves_registers)
    for _, job, _, _, seen, missing, _ in slots:
        assert (job, seen & missing) == (1, 0)
        assert seen | missing == 0b111
    if name == "switchml" and slots:
        # All sums were complete.
        assert {slot[5] for slot in readings[-1] if slot[4]} == {0}


def test_an_aggregator_in_use_is_read_with_its_job_and_number() -> None:
    """They are free again as soon as a sum has come, too soon for the test above to rely on it."""
    protocol = Folder(ROOT / "examples/protocols/atp").protocol(4, {"jobs": "2"})
    registers = {"owner": [0, 1 + 7, 1 + (1 << 24) + 5], "seen": [0b0011, 0b0001, 0b1100]}
    assert protocol.read_slots(registers.__getitem__) == [Slot(1, 1, 7, 0b0001, 0b0010), Slot(2, 2, 5, 0b1100, 0)]


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_the_compiled_program_is_of_these_sources(folder: Path) -> None:
    digests = (folder / "compiled" / "sources.sha256").read_text().splitlines()
    for line in digests:
        digest, name = line.split("  ")
        assert hashlib.sha256((ROOT / name).read_bytes()).hexdigest() == digest, f"run p4src/compile {folder}"
    assert len(digests) == 3 + (folder / "program.p4").read_text().count('#include "')


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_compiling_the_sources_again_gives_the_same(folder: Path, tmp_path: Path) -> None:
    if shutil.which("p4c-bm2-ss") is None:
        pytest.skip("p4c is not installed: the digest of the sources was compared, the compiled program was not")
    for part in ("p4src", "examples/protocols"):
        shutil.copytree(ROOT / part, tmp_path / part)
    shutil.rmtree(tmp_path / folder.relative_to(ROOT) / "compiled")
    subprocess.run([tmp_path / "p4src" / "compile", folder.relative_to(ROOT)], check=True, capture_output=True)
    for name in ("program.json", "program.p4info.txtpb"):
        made = tmp_path / folder.relative_to(ROOT) / "compiled" / name
        assert made.read_bytes() == (folder / "compiled" / name).read_bytes()


def switchml() -> tuple[Protocol, Audit]:
    protocol = Folder(ROOT / "examples" / "protocols" / "switchml").protocol(3, {})
    return protocol, Audit(protocol, [np.full(512, 10**rank, np.int32) for rank in range(3)])


@pytest.mark.parametrize(
    ("claim", "error"),
    [
        (Claim(0b101, 0, np.full(4, 111, np.int32)), "element 0 is 111, but the sum of workers 0, 2 is 101"),
        (Claim(0b1000, 0, np.full(4, 0, np.int32)), "there is no worker 3"),
        (Claim(0b111, 510, np.array([111, 111, 7], np.int32)), "element 512 is 7, but the sum of workers 0, 1, 2 is 0"),
    ],
)
def test_the_audit_names_what_is_wrong(claim: Claim, error: str) -> None:
    protocol, audit = switchml()
    worker = protocol.worker(1, np.zeros(600, np.int32))
    worker.keep(claim)
    worker.missing = 0
    with pytest.raises(AuditError, match=error):
        audit._check(claim, "here")


def test_the_audit_refuses_sums_that_leave_out_a_worker() -> None:
    protocol, audit = switchml()
    worker = protocol.worker(1, np.zeros(512, np.int32))
    with pytest.raises(AuditError, match="worker 1 has not received all sums"):
        audit.worker(worker)
    worker.keep(Claim(0b111, 0, np.full(256, 111, np.int32)))
    worker.keep(Claim(0b011, 256, np.full(256, 11, np.int32)))
    with pytest.raises(AuditError, match="worker 1: elements 256 to 511 are the sum of workers 0, 1 only"):
        audit.worker(worker)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("examples/nothing", "there is no examples/nothing/protocol.py"),
        ("examples/protocols/switchml --set pol=3", "SwitchML has no option 'pol'; it has pool, jobs, timeout"),
        ("examples/protocols/switchml --set pool=x", "pool=x: not int"),
        ("examples/protocols/switchml --set pool=0", "a pool of 1 to 512 slots"),
        ("examples/protocols/switchml --set timeout=0", "timeout=0: a time must be above 0"),
        ("examples/protocols/atp --workers 4 --set jobs=3", "3 jobs cannot share 4 workers equally"),
        ("examples/protocols/esa --set priorities=9,x", "priorities=9,x: not up to 1 numbers of 0 to 255"),
        ("examples/protocols/optireduce --set transform=3", "a transform has a power of two of elements"),
        ("examples/protocols/switchml --size 3B", "a tensor has 4 bytes or more"),
        ("examples/protocols/switchml --out runs/there", "--virtual-time leaves none"),
        ("examples/protocols/switchml --set pool", "--set takes OPTION=VALUE, not 'pool'"),
    ],
)
def test_a_wrong_argument_is_named_in_one_line(words: str, error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(TyperException, match=re.escape(error)) as raised:
        program("protocol")(["protocol", "--virtual-time", *words.split()], standalone_mode=False)
    assert len(raised.value.format_message().splitlines()) == 1


@pytest.mark.parametrize("name", ["canary", "ring", "trio_ml"])
def test_a_window_without_packets_is_named(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["protocol", str(ROOT / "examples/protocols" / name), "--virtual-time", "--set", "window=0"]
    assert program("protocol")(words, standalone_mode=False) == 1
    assert capsys.readouterr().err.endswith("ValueError: a window is at least 1\n")


def test_a_run_overwrites_no_files_of_another_kind(tmp_path: Path) -> None:
    kept = tmp_path / "pcaps/dz0s1-eth1_in.pcap"
    kept.parent.mkdir()
    for path in (kept, tmp_path / "summary.json"):
        path.write_text("")
    with pytest.raises(TyperException, match=r"is not only of earlier runs of protocols: it has summary\.json"):
        program("protocol")(["protocol", str(TRIO_ML), "--out", str(tmp_path)], standalone_mode=False)
    assert kept.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    held = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    words = ["protocol", str(TRIO_ML), "--size", "4kB", "--out", str(tmp_path)]
    with pytest.raises(TyperException, match=f"another run writes into {tmp_path}: choose another folder with --out"):
        program("protocol")(words, standalone_mode=False)
    os.close(held)
    program("protocol")(words, standalone_mode=False)


def test_a_delay_that_bmv2_cannot_give_is_refused() -> None:
    with pytest.raises(TyperException, match="BMv2's links have no delay: add --delay 0"):
        program("protocol")(["protocol", str(TRIO_ML), "--switch", "bmv2"], standalone_mode=False)


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_processes_start_at_one_time_and_an_earlier_runs_captures_do_not_count(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dropzero", "protocol", "examples/protocols/switchml", "--size", "20kB"]
    captures = tmp_path / "pcaps"
    for seed in ("0", "1"):
        words = [*command, "--out", str(tmp_path), "--seed", seed]
        subprocess.run(words, check=True, capture_output=True, cwd=ROOT)
        begins = [np.load(tmp_path / f"sum-{rank}.npz")["times"][0] for rank in range(4)]
        assert len(set(begins)) == 1
        # As a run leaves behind whose switch had another name.
        for path in list(captures.glob("*.pcap")):
            path.rename(captures / f"earlier-{path.name}")
