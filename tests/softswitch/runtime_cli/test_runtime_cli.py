"""simple_switch_CLI: verbs on a real switch process, compared with what BMv2's CLI printed on BMv2 1.15.5.

programs/cli.txt has the verbs, programs/cli.bmv2.txt that output. BMv2's own pvs_add and pvs_remove fail with Python 3.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dropzero.softswitch import launchers
from lab.conformance.harness.switches import Switch, free_port, running
from tests.support.p4runtime_client import PROGRAMS

SWITCH, CLI = "simple_switch_grpc", "simple_switch_CLI"
VERBS = (PROGRAMS / "cli.txt").read_text()
PRINTED = (PROGRAMS / "cli.bmv2.txt").read_text().splitlines()
INTRODUCTION = ["Obtaining JSON from switch...", "Done", "Control utility for runtime P4 table manipulation"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("launchers")
    launchers.write(made)
    return made


@pytest.fixture(scope="module")
def switch(folder: Path) -> Iterator[Switch]:
    with running([str(folder / SWITCH)], folder / "log", PROGRAMS / "probe.json") as made:
        yield made


def printed(command: Sequence[str], port: int, verbs: str) -> list[str]:
    """What a CLI prints, by line and without prompts."""
    done = subprocess.run(
        [*command, "--thrift-port", str(port)], input=verbs, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def answers(folder: Path, switch: Switch, *verbs: str) -> list[str]:
    lines = printed([str(folder / CLI)], switch.thrift, "\n".join(verbs) + "\n")
    assert lines[:3] == INTRODUCTION
    return [line.replace("RuntimeCmd: ", "") for line in lines[3:] if line.replace("RuntimeCmd: ", "")]


def test_it_prints_what_bmv2s_cli_prints(folder: Path) -> None:
    with running([str(folder / SWITCH)], folder / "log", PROGRAMS / "probe.json") as switch:
        assert printed([str(folder / CLI)], switch.thrift, VERBS) == PRINTED


@pytest.mark.parametrize(("own_cli", "own_switch"), [(False, False), (True, False), (False, True)])
def test_it_prints_what_bmv2s_cli_prints_on_either_switch(own_cli: bool, own_switch: bool, folder: Path) -> None:
    programs = {False: shutil.which(SWITCH), True: str(folder / SWITCH)}
    clis = {False: shutil.which(CLI), True: str(folder / CLI)}
    if programs[False] is None or clis[False] is None:
        pytest.skip(f"there is no {CLI} or {SWITCH} on PATH: the verbs were compared with its recorded output only")
    with running([str(programs[own_switch])], folder / "log", PROGRAMS / "probe.json") as switch:
        assert printed([str(clis[own_cli])], switch.thrift, VERBS) == PRINTED


def test_a_value_set_has_the_added_values(folder: Path, switch: Switch) -> None:
    lines = answers(
        folder, switch, "pvs_add Read.special 5", "pvs_add special 0x1234", "pvs_remove special 5", "pvs_get special"
    )
    assert lines == ["1234"]
    assert answers(folder, switch, "pvs_clear special", "pvs_get special") == []


def test_an_empty_line_does_nothing(folder: Path, switch: Switch) -> None:
    assert answers(folder, switch, "mc_node_create 5 1", "", "mc_node_create 5 1")[1::2] == [
        "node was created with handle 0",
        "node was created with handle 1",
    ]


def test_a_modified_action_may_have_no_parameters(folder: Path, switch: Switch) -> None:
    """BMv2's CLI ends with a traceback."""
    verbs = ["table_add station send_to 6 => 3", "table_modify station drop 0", "table_dump_entry station 0"]
    assert answers(folder, switch, *verbs)[-1] == "Action entry: In.drop - "


def test_missing_objects_are_reported_in_one_line(folder: Path, switch: Switch) -> None:
    lines = answers(folder, switch, "mc_node_create 1 1 | 2", "table_add station send_to -1 => 3", "get_time_elapsed")
    assert "this switch has no LAGs" in lines[1]
    assert lines[2] == "Invalid match key: Error while parsing -1 - Parameter is negative"
    assert int(lines[3]) > 0


def test_invalid_arguments_are_reported_in_one_line(folder: Path, switch: Switch) -> None:
    (folder / "binary").write_bytes(b"\xff")
    lines = answers(
        folder, switch, "mc_node_destroy 99999999999", "write_config_to_file /nowhere/x",
        f"load_new_config_file {folder / 'binary'}",
    )  # fmt: skip
    assert lines == [
        "Destroying node 99999999999",
        "Error: a number is out of range",
        "Error: /nowhere/x: No such file or directory",
        "Loading new Json config",
        "Error: Not a valid JSON file",
    ]


def test_verbs_address_the_program_that_was_loaded(folder: Path) -> None:
    with running([str(folder / SWITCH)], folder / "log", PROGRAMS / "probe.json") as switch:
        lines = answers(
            folder, switch, f"load_new_config_file {PROGRAMS / 'kinds.json'}", "table_num_entries In.measured",
            "swap_configs", "table_num_entries In.station", f"write_config_to_file {folder / 'running.json'}",
        )  # fmt: skip
        assert lines == [
            "Loading new Json config",
            "Error: Invalid table name (In.measured)",
            "Swapping configs",
            "0",
        ]
        assert (folder / "running.json").read_text() == (PROGRAMS / "kinds.json").read_text()


def test_a_switch_without_a_program_is_given_one(folder: Path) -> None:
    with running([str(folder / SWITCH)], folder / "log") as switch:
        lines = answers(
            folder, switch, "table_num_entries In.station", "mc_dump",
            f"load_new_config_file {PROGRAMS / 'probe.json'}", "swap_configs", "table_num_entries In.station",
        )  # fmt: skip
        assert lines == [
            "Error: Invalid table name (In.station)",
            "Error: the switch has no program yet",
            "Loading new Json config",
            "Swapping configs",
            "0",
        ]


def test_without_a_switch_it_says_where_it_looked(folder: Path) -> None:
    port = free_port()
    done = subprocess.run([folder / CLI, "--thrift-port", str(port)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith(f"Could not connect to thrift client on port {port}\n")


def test_a_program_other_than_the_switchs_is_reported(folder: Path, switch: Switch) -> None:
    lines = printed(
        [str(folder / CLI), "--json", str(PROGRAMS / "kinds.json")], switch.thrift, "table_show_actions x\n"
    )
    assert lines[0].startswith("WARNING: the switch runs another program than ")
    assert lines[-2] == "RuntimeCmd: Error: Invalid table name (x)"
