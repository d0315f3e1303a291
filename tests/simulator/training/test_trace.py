"""Reading and writing Chakra traces."""

from __future__ import annotations

from pathlib import Path

import pytest

from dropzero.simulator.training import chakra_pb2 as chakra
from dropzero.simulator.training.trace import Node, Trace, TraceError, read, write


def trace(path: Path, *nodes: chakra.Node) -> Path:
    """A file as Chakra's own tools write it: each message after its length."""
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
            # Of half precision.
            Node(3, "activations", (0,), collective="ALL_GATHER", size=6, group="tensor parallel 0"),
            Node(4, "to the next stage", (3,), collective="SEND", size=100, peer=5, tag=7),
            Node(5, "from the stage before", collective="RECEIVE", size=0, peer=3),
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
    assert nodes[2] == Node(9, "sum", (7, 8), collective="ALL_GATHER", size=4096, group="default")
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
        ([chakra.Node(id=0, name="pipe", type=chakra.COMM_SEND_NODE)], r"node 0 \(pipe\) has no comm_dst"),
        ([chakra.Node(id=0, type=chakra.COMP_NODE, data_deps=[5])], "waits for node 5, which is not in the trace"),
        ([chakra.Node(id=0, type=chakra.COMP_NODE), chakra.Node(id=0, type=chakra.COMP_NODE)], "the same id"),
        ([collective(0, 77, 4)], "not a known collective"),
        ([chakra.Node(id=0, name="odd")], r"node 0 \(odd\) is a INVALID_NODE, which cannot be simulated"),
    ],
)
def test_what_cannot_be_simulated_is_an_error(tmp_path: Path, nodes: list[chakra.Node], message: str) -> None:
    path = trace(tmp_path / "step.et", *nodes)
    with pytest.raises(TraceError, match=message):
        read(path)


@pytest.mark.parametrize(
    ("kind", "message"), [(float("inf"), "not a number: inf"), (0.5, r"no usable comm_type \(0\.5\)")]
)
def test_a_kind_of_collective_is_an_integer(tmp_path: Path, kind: float, message: str) -> None:
    node = chakra.Node(id=1, name="sum", type=chakra.COMM_COLL_NODE)
    node.attr.add(name="comm_type", double_val=kind)
    with pytest.raises(TraceError, match=message):
        read(trace(tmp_path / "step.et", node))


def test_a_collective_of_some_dimensions_needs_the_name_of_its_group(tmp_path: Path) -> None:
    """ASTRA-sim's generators write both, or all dimensions."""
    some, whole = collective(0, chakra.ALL_REDUCE, 4), collective(1, chakra.ALL_REDUCE, 4)
    some.attr.add(name="involved_dim").bool_list.values.extend([True, False])
    whole.attr.add(name="involved_dim").bool_list.values.extend([True, True])
    assert len(read(trace(tmp_path / "step.et", whole)).nodes) == 1
    with pytest.raises(TraceError, match=r"node 0 \(sum\) has only some dimensions in involved_dim"):
        read(trace(tmp_path / "step.et", some))
    some.attr.add(name="pg_name", string_val="pair")
    assert read(trace(tmp_path / "step.et", some)).nodes[0].group == "pair"


@pytest.mark.parametrize("content", [b"\xff" * 20, b"\x05ab", b"\x02\xff\xff"])
def test_a_file_that_is_no_trace_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "step.et").write_bytes(content)
    with pytest.raises(TraceError, match=r"step\.et is not a Chakra trace"):
        read(tmp_path / "step.et")


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({}, r"node 1 \(sum\) has no usable comm_size \(0 bytes\)"),
        ({"int64_val": 0}, r"node 1 \(sum\) has no usable comm_size \(0 bytes\)"),
        ({"int64_val": -5}, r"node 1 \(sum\) has no usable comm_size \(-5 bytes\)"),
        ({"double_val": 4.5}, r"node 1 \(sum\) has no usable comm_size \(4\.5 bytes\)"),
        ({"double_val": float("nan")}, r"node 1 \(sum\) has a comm_size that is not a number: nan"),
        ({"string_val": "4 kB"}, r"node 1 \(sum\) has a comm_size that is not a number: '4 kB'"),
    ],
)
def test_a_collective_without_a_usable_size_is_refused(
    tmp_path: Path, attributes: dict[str, float], reason: str
) -> None:
    node = chakra.Node(id=1, name="sum", type=chakra.COMM_COLL_NODE)
    node.attr.add(name="comm_type", int64_val=chakra.ALL_REDUCE)
    if attributes:
        node.attr.add(name="comm_size", **attributes)
    with pytest.raises(TraceError, match=reason):
        read(trace(tmp_path / "step.et", node))


def test_a_barrier_needs_no_size(tmp_path: Path) -> None:
    node = chakra.Node(id=1, name="barrier", type=chakra.COMM_COLL_NODE)
    node.attr.add(name="comm_type", int64_val=chakra.BARRIER)
    assert read(trace(tmp_path / "step.et", node)).nodes == [Node(1, "barrier", collective="BARRIER")]


@pytest.mark.parametrize("micros", [1 << 62, (1 << 64) - 1, 10**14])
def test_an_absurd_duration_is_refused(tmp_path: Path, micros: int) -> None:
    node = chakra.Node(id=3, name="layer", type=chakra.COMP_NODE, duration_micros=micros)
    with pytest.raises(TraceError, match=r"node 3 \(layer\) lasts .* s: from 0 s to a year is possible"):
        read(trace(tmp_path / "step.et", node))


@pytest.mark.parametrize("micros", [-1.0, float("inf"), float("nan")])
def test_a_profiles_absurd_duration_is_refused(tmp_path: Path, micros: float) -> None:
    node = chakra.Node(id=3, name="layer", type=chakra.COMP_NODE, duration_micros=5)
    with pytest.raises(TraceError, match=r"node 3 \(layer\) lasts"):
        read(trace(tmp_path / "step.et", node), durations={"layer": micros})


def test_durations_that_are_absurd_together_are_refused(tmp_path: Path) -> None:
    nodes = [chakra.Node(id=at, name="layer", type=chakra.COMP_NODE, duration_micros=2 * 10**13) for at in range(2)]
    with pytest.raises(TraceError, match="last 4e\\+07 s together, longer than a year"):
        read(trace(tmp_path / "step.et", *nodes))


@pytest.mark.parametrize("kind", [chakra.STORAGE_NODE, chakra.BATCH_NODE, chakra.CHECKPOINT_NODE])
def test_storage_is_a_processor(tmp_path: Path, kind: chakra.NodeType.ValueType) -> None:
    node = chakra.Node(id=0, name="checkpoint", type=kind, duration_micros=7)
    assert read(trace(tmp_path / "step.et", node)).nodes == [Node(0, "checkpoint", (), 7_000, "storage")]


def test_a_node_of_a_newer_type_is_refused(tmp_path: Path) -> None:
    node = chakra.Node(id=0, name="checkpoint", type=99)  # type: ignore[arg-type]
    with pytest.raises(TraceError, match=r"node 0 \(checkpoint\) is a node of type 99"):
        read(trace(tmp_path / "step.et", node))
