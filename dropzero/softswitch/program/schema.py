"""The JSON of p4c's BMv2 backend: which attributes its objects have, and of which types (see json_schema.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dropzero.softswitch.program.model import UnsupportedProgram

FLAG = (bool, int)
NAME = (str, None)
FIELD = [str]
EXPRESSION: dict[str, Any] = {}
"""The parts of an expression depend on its type: its reader checks them."""
EXPRESSIONS = [(EXPRESSION, bool, int)]

SOURCE = ({"filename": str, "line": int, "source_fragment": str}, None)
CALCULATION = {
    "name": str,
    "algo": str,
    "input": [{"type": str, "bitwidth": int, "value": (str, FIELD, None)}],
    "source_info": SOURCE,
}
PRIMITIVE = {"op": str, "parameters": EXPRESSIONS, "source_info": SOURCE}
STATE = {
    "name": str,
    "parser_ops": [{"op": str, "parameters": [(EXPRESSION, int)], "source_info": SOURCE}],
    "transition_key": EXPRESSIONS,
    "transitions": [{"type": str, "value": NAME, "mask": NAME, "next_state": NAME}],
    "source_info": SOURCE,
}
CALL = {
    "action_id": int,
    "action_data": [str],
    "action_const": FLAG,
    "action_entry_const": FLAG,
}
TABLE = {
    "name": str,
    "type": str,
    "match_type": str,
    "key": [{"name": NAME, "match_type": str, "target": (FIELD, str), "mask": NAME}],
    "actions": [str],
    "action_ids": [int],
    "max_size": int,
    "next_tables": {"": NAME},
    "base_default_next": NAME,
    "default_entry": (CALL, None),
    "entries": (
        [
            {
                "match_key": [{"key": (str, bool, int), "mask": str, "prefix_length": int, "start": str, "end": str}],
                "action_entry": CALL,
                "priority": int,
            }
        ],
        None,
    ),
    "with_counters": FLAG,
    "support_timeout": FLAG,
    "direct_meters": NAME,
    "action_profile": NAME,
    "act_prof_name": NAME,
    "selector": (CALCULATION, None),
    "source_info": SOURCE,
}
PIPELINE = {
    "name": str,
    "init_table": NAME,
    "tables": [TABLE],
    "action_profiles": [{"name": str, "max_size": int, "selector": (CALCULATION, None)}],
    "conditionals": [
        {
            "name": str,
            "expression": (EXPRESSION, bool, int),
            "true_next": NAME,
            "false_next": NAME,
            "source_info": SOURCE,
        }
    ],
    "action_calls": [{"name": str, "action_id": int, "next_node": NAME}],
}
HEADER = {"name": str, "id": int, "header_type": str, "metadata": FLAG}
STACK = {"name": str, "header_type": str, "header_ids": [int]}
LIST = [{"id": int, "name": str, "elements": [EXPRESSION], "source_info": SOURCE}]
PROGRAM = {
    "__meta__": {"version": [int]},
    "header_types": [
        {"name": str, "fields": [[(str, bool, int)]], "max_length": (int, None), "length_exp": (EXPRESSION, None)}
    ],
    "headers": [HEADER],
    "header_stacks": [STACK],
    "header_union_types": [{"name": str, "headers": [[str]]}],
    "header_unions": [{"name": str, "id": int, "union_type": str, "header_ids": [int]}],
    "header_union_stacks": [{"name": str, "union_type": str, "header_union_ids": [int]}],
    "errors": [[(str, int)]],
    "field_aliases": [[(str, FIELD)]],
    "field_lists": LIST,
    "learn_lists": LIST,
    "actions": [
        {
            "id": int,
            "name": str,
            "runtime_data": [{"name": str, "bitwidth": int}],
            "primitives": [PRIMITIVE],
        }
    ],
    "parsers": [{"name": str, "init_state": str, "parse_states": [STATE]}],
    "parse_vsets": [{"name": str, "compressed_bitwidth": int, "max_size": int}],
    "deparsers": [{"name": str, "order": [str], "primitives": [PRIMITIVE]}],
    "pipelines": [PIPELINE],
    "calculations": [CALCULATION],
    "checksums": [
        {
            "type": str,
            "target": FIELD,
            "calculation": str,
            "if_cond": (EXPRESSION, bool, None),
            "verify": FLAG,
            "update": FLAG,
        }
    ],
    "register_arrays": [{"name": str, "bitwidth": int, "size": int}],
    "counter_arrays": [{"name": str, "size": int, "is_direct": FLAG, "binding": NAME}],
    "meter_arrays": [
        {
            "name": str,
            "type": str,
            "rate_count": int,
            "size": int,
            "is_direct": FLAG,
            "binding": NAME,
            "result_target": (FIELD, None),
            "source_info": SOURCE,
        }
    ],
    "extern_instances": [
        {
            "name": str,
            "type": str,
            "attribute_values": [{"name": str, "type": str, "value": (str, int, bool)}],
            "source_info": SOURCE,
        }
    ],
}
"""Attributes that are missing are of no interest, or have defaults. "": any attribute."""


def malformed(what: str) -> UnsupportedProgram:
    return UnsupportedProgram(f"not a program that p4c wrote for BMv2: {what}")


class Declared(dict[Any, Any]):
    """What a program declares, by name or id. What it refers to must be there."""

    def __init__(self, kind: str, declared: Mapping[Any, Any]) -> None:
        super().__init__(declared)
        self.kind = kind

    def __missing__(self, name: object) -> Any:
        raise malformed(f"there is no {self.kind} {name!r}")
