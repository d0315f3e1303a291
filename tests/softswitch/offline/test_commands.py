"""Files of simple_switch_CLI's commands, on programs of all ages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.offline.state import set_up
from tests.softswitch.program.test_older_json import without_defaults
from tests.support.bmv2_program import Bmv2Program, Json, assign, extract, field, key, parameter, run


def program(**table: Json | str) -> Json:
    """A program with a table `t` that may write a number into the packet's byte, as an old compiler wrote it."""
    made = Bmv2Program(None, h={"x": 8})
    made.state("start", extract("h"))
    made.action("set", assign(field("h", "x"), parameter(0)), value=8)
    keys = (table.pop("key"),) if "key" in table else ()
    made.table("t", ["set"], keys=keys, **table)  # type: ignore[arg-type]
    document = without_defaults(made.document())
    document["header_types"] = made.types
    del document["pipelines"][0]["tables"][0]["action_ids"]
    return document  # type: ignore[no-any-return]


def after(folder: Path, document: Json, *commands: str) -> Engine:
    (folder / "program.json").write_text(json.dumps(document))
    (folder / "commands.txt").write_text("\n".join(commands))
    switch = Switch(seed=0)
    set_up(switch, folder / "program.json", commands=[folder / "commands.txt"])
    assert switch.engine is not None
    return switch.engine


def test_a_table_without_keys_takes_an_entry(tmp_path: Path) -> None:
    engine = after(tmp_path, program(), "table_add t set => 7", "table_dump t", "table_dump_entry t 0")
    assert run(engine, b"\0") == [(0, b"\7")]
    with pytest.raises(ValueError, match=r"commands\.txt:2: Invalid table operation \(DUPLICATE_ENTRY\)"):
        after(tmp_path, program(), "table_add t set => 7", "table_add t set => 8")


@pytest.mark.parametrize(("word", "result"), [("1", 7), ("0", 0)])
def test_the_validity_of_a_header_is_a_key(tmp_path: Path, word: str, result: int) -> None:
    document = program(key={"match_type": "valid", "target": "h"})
    engine = after(tmp_path, document, f"table_add t set {word} => 7", "table_dump t")
    assert run(engine, b"\0") == [(0, bytes([result]))]


def test_indirect_tables_take_default_members(tmp_path: Path) -> None:
    document = program(key=key(field("h", "x")), type="indirect", act_prof_name="p")
    engine = after(
        tmp_path,
        document,
        "act_prof_create_member p set 7",
        "table_indirect_set_default t 0",
        "table_dump t",
    )
    assert run(engine, b"\1") == [(0, b"\7")]
    with pytest.raises(ValueError, match=r"commands\.txt:1: Invalid table operation \(INVALID_MBR_HANDLE\)"):
        after(tmp_path, document, "table_indirect_set_default t 0")
