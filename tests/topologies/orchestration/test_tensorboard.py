"""TensorBoard can read a run's logs."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dropzero.topologies.orchestration.metrics import Metrics
from dropzero.topologies.orchestration.tensorboard import Logs, _checksum
from tests.topologies.orchestration.test_summary import write_metrics


def records(path: Path) -> list[bytes]:
    """The events of a file, whose checksums are right."""
    content, events = path.read_bytes(), []
    while content:
        (length,) = struct.unpack("<Q", content[:8])
        event = content[12 : 12 + length]
        assert (content[8:12], content[12 + length : 16 + length]) == (_checksum(content[:8]), _checksum(event))
        events.append(event)
        content = content[16 + length :]
    return events


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With the logs of three steps of a worker, which were read in two parts."""
    write_metrics(tmp_path, 0, [4.0, float("nan"), 1.0])
    metrics = Metrics(tmp_path, workers=1, dense_per_step=1000)
    with Logs(tmp_path / "logs") as logs:
        logs.follow(metrics)
        metrics.update()
        logs.follow(metrics)
        logs.follow(metrics)
    return tmp_path / "logs"


def test_checksums_are_masked_crc32c() -> None:
    # RFC 3720, B.4: 32 bytes of zeros have the CRC 8a9136aa; the mask is TFRecord's.
    crc = 0x8A9136AA
    assert _checksum(bytes(32)) == struct.pack("<I", ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) & 0xFFFFFFFF)


def test_each_step_is_one_event_with_all_finite_values(folder: Path) -> None:
    (path,) = folder.glob("events.out.tfevents.*")
    version, *steps = records(path)
    assert version.endswith(b"brain.Event:2")
    # The step's number follows the eight bytes of the time.
    assert [event[9:11] for event in steps] == [bytes([0x10, step]) for step in (1, 2, 3)]
    loss = bytes([0x0A, 14]) + b"minibatch loss" + bytes([0x15])
    assert [loss + struct.pack("<f", value) in event for event, value in zip(steps, (4.0, 2.0, 1.0), strict=True)] == [
        True,
        False,
        True,
    ]
    assert loss not in steps[1]
    assert all(b"bytes/sent" in event for event in steps)


def test_tensorboard_reads_the_events(folder: Path) -> None:
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="no TensorBoard: pip install tensorboard"
    )
    read = accumulator.EventAccumulator(str(folder))
    read.Reload()
    assert [(each.step, each.value) for each in read.Scalars("loss")] == [(1, 4.0), (3, 1.0)]
    assert [(each.step, each.value) for each in read.Scalars("bytes/dense")] == [(1, 1000), (2, 2000), (3, 3000)]
