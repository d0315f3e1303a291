"""Files with the rates, depths and priorities of queues."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dropzero.softswitch.engine.queues import Queues
from dropzero.softswitch.offline.queue_file import QueueFile


def applied(folder: Path, content: object, priorities: int = 8) -> Queues:
    """Queues with the settings of a file."""
    path = folder / "queues.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    queues = Queues(priorities)
    QueueFile.read(path).apply(queues)
    return queues


def settings(queues: Queues, port: int) -> tuple[int, list[int], list[int]]:
    """The rate of a port, in bits per second, and the depths and gaps, in nanoseconds, of its queues."""
    known = queues._port(port)
    return int(known.port["rate"][0]), known.queues["depth"].tolist(), known.queues["gap"].tolist()


def test_a_port_has_its_own_settings_and_others_those_of_all_ports(tmp_path: Path) -> None:
    queues = applied(
        tmp_path,
        {
            "ports": {
                "3": {"rate": "10mbit", "depth": 5, "priorities": {"1": {"depth": 7, "packets_per_second": 100}}},
                "*": {"rate": "1gbit", "depth": 9},
            }
        },
        priorities=2,
    )
    assert settings(queues, 3) == (10_000_000, [5, 7], [0, 10_000_000])
    assert settings(queues, 4) == (1_000_000_000, [9, 9], [0, 0])
    assert queues.queued[[3, 4]].tolist() == [1, 1]


def test_only_ports_with_a_rate_have_queues(tmp_path: Path) -> None:
    queues = applied(tmp_path, {"ports": {"1": {"depth": 3}, "2": {"packets_per_second": 7}}})
    assert queues.queued[[1, 2]].tolist() == [0, 1]


def test_the_number_of_priorities_is_read(tmp_path: Path) -> None:
    path = tmp_path / "queues.json"
    path.write_text('{"priority_queues": 8}')
    assert QueueFile.read(path).priority_queues == 8


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "does not describe queues: JSONDecodeError"),
        ([], "does not describe queues: it is []"),
        ({"ports": {"1": {"rate": 7}}}, "does not describe queues: 'rate' is 7"),
        ({"ports": {"1": {"depth": True}}}, "does not describe queues: 'depth' is True"),
        ({"port": {}}, "does not describe queues: there is no 'port'; there are priority_queues, ports"),
        ({"priority_queues": 0}, "'priority_queues' is 0, not from 1 to 256"),
        ({"ports": {"1": {"dept": 7}}}, "port 1: there is no 'dept'; there are packets_per_second, depth, rate"),
        (
            {"ports": {"1": {"rate": "fast"}}},
            "port 1: 'fast' is not a number with one of the units bit, kbit, mbit, gbit",
        ),
        ({"ports": {"1": {"rate": "9999999999999gbit"}}}, "port 1: a port cannot send"),
        ({"ports": {"1": {"packets_per_second": 0}}}, "port 1: packets_per_second must be at least 1"),
        ({"ports": {"1": {"depth": -1}}}, "port 1: a queue cannot hold -1 packets"),
        ({"ports": {"1": {"depth": 1 << 70}}}, "port 1: a queue cannot hold 1180591620717411303424 packets"),
        ({"ports": {"eth0": {"depth": 1}}}, "port eth0: 'eth0' is not a number"),
        ({"ports": {"65536": {"depth": 1}}}, "port 65536: there is no port 65536"),
        ({"ports": {"*": {"priorities": {"8": {"depth": 1}}}}}, "port *: there is no priority 8, with 8 queues a port"),
        ({"ports": {"1": {"priorities": {"0": {"rate": "1mbit"}}}}}, "port 1: there is no 'rate'"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, content: object, reason: str) -> None:
    with pytest.raises(ValueError, match=r"queues\.json") as refused:
        applied(tmp_path, content)
    assert reason in str(refused.value)


def test_the_documented_example_is_a_file_of_queues(tmp_path: Path) -> None:
    section = (Path(__file__).parents[3] / "docs/softswitch.md").read_text().split("## Queues from a file\n")[1]
    queues = applied(tmp_path, section.split("```text\n")[1].split("```")[0])
    assert settings(queues, 2) == (10_000_000, [64] * 7 + [16], [0] * 7 + [2_000_000])
