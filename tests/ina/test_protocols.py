"""The protocols of examples/protocols: their sums are right whatever is lost, in virtual time and over real sockets."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dropzero.ina import virtual
from dropzero.ina.audit import Audit, AuditError
from dropzero.ina.folder import Folder
from dropzero.ina.outcome import Outcome, tensors
from dropzero.ina.protocol import Claim, Protocol
from dropzero.simulator.kernel.links import Quality
from tests.support import ROOT

FOLDERS = sorted(path.parent for path in (ROOT / "examples" / "protocols").glob("*/program.p4"))
NAMES = [path.name for path in FOLDERS]
FAULTS = {"loss": 0.02, "duplicate": 0.02}
ELEMENTS = 40_000


def simulated(folder: Path, quality: Quality, workers: int = 3, seed: int = 0, **options: str) -> Outcome:
    found = Folder(folder)
    protocol = found.protocol(workers, options)
    return virtual.run(found, protocol, tensors(protocol, ELEMENTS, seed), quality, seed)


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_all_sums_are_right_when_links_lose_and_duplicate(folder: Path, seed: int) -> None:
    quality = Quality(10**10, 1000, **FAULTS, reorder=0.02)
    outcome = simulated(folder, quality, seed=seed, timeout="200us")
    assert outcome.identical
    assert outcome.whole == 1
    assert outcome.sums >= 3 * ELEMENTS / 256


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_without_loss_each_packet_is_sent_once_at_the_rate_of_the_links(folder: Path) -> None:
    outcome = simulated(folder, Quality(10**9, 1000))
    packets = -(-ELEMENTS // 256)
    assert outcome.packets <= 3 * 2 * packets + packets * 2
    assert 4 * 8 * ELEMENTS / outcome.seconds > 0.93 * 10**9


def test_what_finds_its_aggregator_taken_is_added_up_by_the_server() -> None:
    folder = ROOT / "examples" / "protocols" / "atp"
    quality = Quality(10**10, 1000)
    free, taken = (simulated(folder, quality, aggregators=number, timeout="200us") for number in ("1024", "8"))
    assert free.whole == taken.whole == 1
    assert taken.packets > 1.2 * free.packets
    # Each packet is a worker's or the server's, so fewer of these are sums of several workers.
    assert taken.sums / taken.packets < free.sums / free.packets


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_a_process_for_each_host_comes_to_the_same_over_real_sockets(folder: Path) -> None:
    options = [word for name, value in FAULTS.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "dropzero", "protocol", str(folder), "--workers", "3", "--size", "100kB"]
    ended = subprocess.run([*command, *options, "--json", "-"], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    outcome = json.loads(ended.stdout)
    assert (outcome["whole"], outcome["identical"]) == (1, True)
    assert outcome["sums"] >= 3 * 25_000 / 256


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_the_compiled_program_is_of_these_sources(folder: Path) -> None:
    digests = (folder / "compiled" / "sources.sha256").read_text().splitlines()
    for line in digests:
        digest, name = line.split("  ")
        assert hashlib.sha256((ROOT / name).read_bytes()).hexdigest() == digest, f"run p4src/compile {folder}"
    assert len(digests) == 4


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
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
        ("examples/protocols/switchml --set pol=3", "SwitchML has no option 'pol'; it has pool, timeout"),
        ("examples/protocols/switchml --set pool=x", "pool=x: not int"),
        ("examples/protocols/switchml --set pool=0", "a pool of 1 to 512 slots"),
        ("examples/protocols/switchml --set pool", "--set takes OPTION=VALUE, not 'pool'"),
    ],
)
def test_a_wrong_argument_is_named_in_one_line(words: str, error: str) -> None:
    command = [sys.executable, "-m", "dropzero", "protocol", "--virtual-time", *words.split()]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 2
    assert error in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
