"""Reading and writing Chakra traces."""

from __future__ import annotations

from pathlib import Path

import pytest

from dropzero.simulator.training import chakra_pb2 as chakra
from dropzero.simulator.training.trace import Node, Trace, TraceError, read, write


def trace(path: Path, *nodes: chakra.Node) -> Path:
    """A file as Chakra's own tools write it: each message behind its length."""
    contents = [each.SerializeToString() for each in nodes]
    with path.open("wb") as file:
        for content in [chakra.Metadata(version="0.0.4").SerializeToString(), *contents]:
            length = len(content)
            while length > 0x7F:
                file.write(bytes([length & 0x7F | 0x80]))
                length >>= 7
            file.write(bytes([length]) + content)
    return path


def collective(number: int, kind: int, size: int, **attributes: str) -> chakra.Node:
    node = chakra.Node(id=number, name="sum", type=chakra.COMM_COLL_NODE)
    node.attr.add(name="comm_type", int64_val=kind)
    node.attr.add(name="comm_size", uint64_val=size)
    for name, value in attributes.items():
        node.attr.add(name=name, string_val=value)
    return node


def test_a_trace_is_what_was_written(tmp_path: Path) -> None:
    written = Trace(
        [
            Node(0, "forward" * 30, duration=5_000),
            Node(1, "read a batch", (0,), 70_000_000, "cpu"),
            Node(2, "gradients", (0, 1), collective="ALL_REDUCE", size=4_000_000),
        ]
    )
    write(tmp_path / "step.et", written)
    assert read(tmp_path / "step.et") == written


def test_nodes_wait_for_control_and_for_data(tmp_path: Path) -> None:
    first, second = (
        chakra.Node(id=number, name="layer", type=chakra.COMP_NODE, duration_micros=3) for number in (7, 8)
    )
    third = collective(9, chakra.ALL_GATHER, 4096, pg_name="default")
    third.ctrl_deps.append(7)
    third.data_deps.append(8)
    nodes = read(trace(tmp_path / "step.et", first, second, third)).nodes
    assert nodes[2] == Node(9, "sum", (7, 8), collective="ALL_GATHER", size=4096)
    assert nodes[0].duration == 3000


def test_durations_come_from_the_trace_or_the_number_of_operations_or_a_profile(tmp_path: Path) -> None:
    measured = chakra.Node(id=0, name="measured", type=chakra.COMP_NODE, duration_micros=3)
    counted = chakra.Node(id=1, name="counted", type=chakra.COMP_NODE)
    counted.attr.add(name="num_ops", int64_val=6_000_000)
    path = trace(tmp_path / "step.et", measured, counted)
    assert [node.duration for node in read(path, flops=1e12).nodes] == [3000, 6000]
    assert [node.duration for node in read(path, 1e12, {"counted": 0.5}).nodes] == [3000, 500]
    with pytest.raises(TraceError, match=r"counted.*how many a second"):
        read(path)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([], "has no nodes"),
        ([chakra.Node(id=0, name="pipe", type=chakra.COMM_SEND_NODE)], r"node 0 \(pipe\) is a COMM_SEND_NODE"),
        ([chakra.Node(id=0, type=chakra.COMP_NODE, data_deps=[5])], "waits for node 5, which is not in the trace"),
        ([chakra.Node(id=0, type=chakra.COMP_NODE), chakra.Node(id=0, type=chakra.COMP_NODE)], "the same id"),
        ([collective(0, 77, 4)], "no collective that is known"),
        ([collective(0, 0, 4, pg_name="a"), collective(1, 0, 4, pg_name="b")], "the groups a, b are too many"),
    ],
)
def test_what_cannot_be_simulated_is_an_error(tmp_path: Path, nodes: list[chakra.Node], message: str) -> None:
    path = trace(tmp_path / "step.et", *nodes)
    with pytest.raises(TraceError, match=message):
        read(path)


@pytest.mark.parametrize("content", [b"\xff" * 20, b"\x05ab", b"\x02\xff\xff"])
def test_a_file_that_is_no_trace_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "step.et").write_bytes(content)
    with pytest.raises(TraceError, match="no Chakra trace"):
        read(tmp_path / "step.et")
