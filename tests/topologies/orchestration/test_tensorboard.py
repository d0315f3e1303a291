"""TensorBoard can read a run's logs."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tensorboardX.proto.event_pb2 import Event

from dropzero.topologies.orchestration.metrics import Metrics
from dropzero.topologies.orchestration.tensorboard import Logs
from tests.topologies.orchestration.test_summary import write_metrics


def events(path: Path) -> list[Event]:
    """The events of a file of records: each has a length, a checksum, an event, and a checksum."""
    content, found = path.read_bytes(), []
    while content:
        (length,) = struct.unpack("<Q", content[:8])
        found.append(Event.FromString(content[12 : 12 + length]))
        content = content[16 + length :]
    return found


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


def test_each_step_is_one_event_with_all_finite_values(folder: Path) -> None:
    (path,) = folder.glob("events.out.tfevents.*")
    version, *steps = events(path)
    assert version.file_version == "brain.Event:2"
    assert [event.step for event in steps] == [1, 2, 3]
    values = [{each.tag: each.simple_value for each in event.summary.value} for event in steps]
    assert [each.get("minibatch loss") for each in values] == [4.0, None, 1.0]
    assert [each["bytes/dense"] for each in values] == [1000, 2000, 3000]


def test_an_event_can_be_read_while_the_run_goes(tmp_path: Path) -> None:
    write_metrics(tmp_path, 0, [4.0])
    metrics = Metrics(tmp_path, workers=1, dense_per_step=1000)
    metrics.update()
    with Logs(tmp_path / "logs") as logs:
        logs.follow(metrics)
        (path,) = (tmp_path / "logs").iterdir()
        assert [event.step for event in events(path)] == [0, 1]


def test_tensorboard_reads_the_events(folder: Path) -> None:
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="no TensorBoard: pip install tensorboard"
    )
    read = accumulator.EventAccumulator(str(folder))
    read.Reload()
    assert [(each.step, each.value) for each in read.Scalars("minibatch loss")] == [(1, 4.0), (3, 1.0)]
    assert [(each.step, each.value) for each in read.Scalars("bytes/dense")] == [(1, 1000), (2, 2000), (3, 3000)]
