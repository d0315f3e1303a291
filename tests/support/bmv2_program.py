"""Small BMv2 programs for tests of the compiler, in p4c's form."""

from __future__ import annotations

import json
from typing import Any

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.program.bmv2_json import parse_program
from dropzero.softswitch.program.model import Program

Json = dict[str, Any]

STANDARD = {
    "ingress_port": 9,
    "egress_spec": 9,
    "egress_port": 9,
    "instance_type": 32,
    "packet_length": 32,
    "ingress_global_timestamp": 48,
    "egress_global_timestamp": 48,
    "mcast_grp": 16,
    "egress_rid": 16,
    "checksum_error": 1,
    "parser_error": 32,
}
ERRORS = ["NoError", "PacketTooShort", "NoMatch", "StackOutOfBounds", "HeaderTooShort", "ParserTimeout"]
ERRORS += ["ParserInvalidArgument", "Odd"]


def field(header: str, name: str) -> Json:
    return {"type": "field", "value": [header, name]}


def meta(name: str) -> Json:
    """A field of the program's user metadata."""
    return field("scalars", name)


def standard(name: str) -> Json:
    return field("standard_metadata", name)


def constant(value: int) -> Json:
    return {"type": "hexstr", "value": hex(value)}


def parameter(index: int) -> Json:
    return {"type": "runtime_data", "value": index}


def header(name: str) -> Json:
    return {"type": "header", "value": name}


def stack(name: str) -> Json:
    return {"type": "header_stack", "value": name}


def element(name: str, index: Json) -> Json:
    """An element of a header stack."""
    return operation("dereference_header_stack", stack(name), index)


def operation(op: str, *operands: Json | int) -> Json:
    """An operation. A single operand is the right one; the first of three is the condition."""
    condition, left, right = (None,) * (3 - len(operands)) + operands
    value = {"op": op, "left": left, "right": right}
    if condition is not None:
        value["cond"] = condition
    return {"type": "expression", "value": value}


def primitive(op: str, *parameters: Json) -> Json:
    return {"op": op, "parameters": list(parameters), "source_info": {"filename": "test.p4", "line": 7}}


def assign(target: Json, value: Json) -> Json:
    return primitive("assign", target, value)


def extract(name: str, kind: str = "regular") -> Json:
    return {"op": "extract", "parameters": [{"type": kind, "value": name}]}


def key(target: Json, kind: str = "exact", mask: int | None = None) -> Json:
    masked = None if mask is None else hex(mask)
    return {"match_type": kind, "name": ".".join(target["value"]), "target": target["value"], "mask": masked}


class Bmv2Program:
    """Builds a program. At first it has no headers and drops nothing. Fields are given as name=width."""

    def __init__(self, metadata: dict[str, int] | None = None, **headers: dict[str, int]) -> None:
        self.types: list[Json] = []
        self.headers: list[Json] = []
        self.stacks: list[Json] = []
        self.states: list[Json] = []
        self.actions: list[Json] = []
        self.registers: list[Json] = []
        self.counters: list[Json] = []
        self.calculations: list[Json] = []
        self.checksums: list[Json] = []
        self.unions: list[Json] = []
        self.union_types: list[Json] = []
        self.union_stacks: list[Json] = []
        self.field_lists: list[Json] = []
        self.learn_lists: list[Json] = []
        self.meters: list[Json] = []
        self.value_sets: list[Json] = []
        self.pipelines: dict[str, Json] = {
            name: {"name": name, "id": 0, "init_table": None, "tables": [], "action_profiles": [], "conditionals": []}
            for name in ("ingress", "egress")
        }
        self.order: list[str] = []
        self.version = [2, 23]
        self._header("standard_metadata", STANDARD, metadata=True)
        self._header("scalars", metadata or {}, metadata=True)
        for name, fields in headers.items():
            self._header(name, fields)
            self.order.append(name)

    def _header(self, name: str, fields: dict[str, int], *, metadata: bool = False, kind: str | None = None) -> int:
        if kind is None:
            kind = f"{name}_t"
            declared = [[field, abs(width), width < 0] for field, width in fields.items()]
            self.types.append({"name": kind, "id": len(self.types), "fields": declared})
        number = len(self.headers)
        self.headers.append({"name": name, "id": number, "header_type": kind, "metadata": metadata})
        return number

    def stack(self, name: str, depth: int, **fields: int) -> None:
        """Adds headers name[0], name[1], ..., deparsed in this order after earlier ones."""
        kind = f"{name}_t"
        self.types.append({"name": kind, "id": len(self.types), "fields": [list(each) for each in fields.items()]})
        names = [f"{name}[{at}]" for at in range(depth)]
        numbers = [self._header(each, {}, kind=kind) for each in names]
        self.stacks.append({"name": name, "id": 0, "header_type": kind, "size": depth, "header_ids": numbers})
        self.order += names

    def union(self, name: str, **members: dict[str, int]) -> None:
        """Adds headers name.member, deparsed after earlier ones."""
        self._declare_union(name, f"{name}_u", members)

    def union_stack(self, name: str, depth: int, **members: dict[str, int]) -> None:
        """Adds unions name[0], name[1], ... with headers name[0].member, ..."""
        numbers = [self._declare_union(f"{name}[{at}]", f"{name}_u", members) for at in range(depth)]
        declared = {"name": name, "id": 0, "union_type": f"{name}_u", "size": depth, "header_union_ids": numbers}
        self.union_stacks.append(declared)

    def _declare_union(self, name: str, kind: str, members: dict[str, dict[str, int]]) -> int:
        if all(each["name"] != kind for each in self.union_types):
            for member, fields in members.items():
                declared = [list(each) for each in fields.items()]
                self.types.append({"name": f"{kind}_{member}", "id": len(self.types), "fields": declared})
            types = [[member, f"{kind}_{member}"] for member in members]
            self.union_types.append({"name": kind, "id": len(self.union_types), "headers": types})
        numbers = [self._header(f"{name}.{member}", {}, kind=f"{kind}_{member}") for member in members]
        self.order += (f"{name}.{member}" for member in members)
        self.unions.append({"name": name, "id": len(self.unions), "union_type": kind, "header_ids": numbers})
        return len(self.unions) - 1

    def varbit(self, name: str, *fields: tuple[str, int | str], most: int) -> None:
        """Adds a header of at most `most` bytes, with one field of width "*"."""
        declared = [list(each) for each in fields]
        self.types.append({"name": f"{name}_t", "id": len(self.types), "fields": declared, "max_length": most})
        self._header(name, {}, kind=f"{name}_t")
        self.order.append(name)

    def state(self, name: str, *operations: Json, by: tuple[Json, ...] = (), to: tuple[Any, ...] = ()) -> None:
        """Adds a parser state; the first one is the start. to: (value or None for default, next state[, mask])."""
        transitions = [
            {
                "type": "default" if value is None else "hexstr",
                "value": None if value is None else hex(value),
                "mask": hex(mask[0]) if mask else None,
                "next_state": following,
            }
            for value, following, *mask in to
        ]
        self.states.append(
            {
                "name": name,
                "id": len(self.states),
                "parser_ops": list(operations),
                "transitions": transitions,
                "transition_key": list(by),
            }
        )

    def action(self, name: str, *primitives: Json, **parameters: int) -> int:
        """Adds an action. Returns its id."""
        data = [{"name": each, "bitwidth": width} for each, width in parameters.items()]
        number = len(self.actions)
        self.actions.append({"name": name, "id": number, "runtime_data": data, "primitives": list(primitives)})
        return number

    def table(
        self,
        name: str,
        actions: list[str],
        *,
        keys: tuple[Json, ...] = (),
        kind: str = "exact",
        size: int = 16,
        default: str | None = None,
        data: tuple[int, ...] = (),
        const: bool = False,
        following: str | None = None,
        hit: str | None = None,
        miss: str | None = None,
        pipeline: str = "ingress",
        **more: Any,
    ) -> None:
        """Adds a table; the first one of a pipeline is its start. following: the next node, unless hit and miss name
        it."""
        numbers = {each["name"]: each["id"] for each in self.actions}
        after: Json = dict.fromkeys(actions, following)
        if hit is not None or miss is not None:
            after = {"__HIT__": hit, "__MISS__": miss}
        declared = {
            "name": name,
            "id": 0,
            "key": list(keys),
            "match_type": kind,
            "type": "simple",
            "max_size": size,
            "with_counters": False,
            "support_timeout": False,
            "direct_meters": None,
            "action_ids": [numbers[each] for each in actions],
            "actions": actions,
            "base_default_next": following,
            "next_tables": after,
            **more,
        }
        if default is not None:
            declared["default_entry"] = {
                "action_id": numbers[default],
                "action_const": const,
                "action_data": [hex(value) for value in data],
                "action_entry_const": const,
            }
        self.pipelines[pipeline]["tables"].append(declared)
        self.pipelines[pipeline]["init_table"] = self.pipelines[pipeline]["init_table"] or name

    def call(self, name: str, *primitives: Json, following: str | None = None, pipeline: str = "ingress") -> None:
        """Adds a table that only runs these primitives, as p4c makes for statements outside of actions."""
        self.action(f"act_{name}", *primitives)
        self.table(name, [f"act_{name}"], default=f"act_{name}", const=True, following=following, pipeline=pipeline)

    def condition(
        self, name: str, condition: Json, then: str | None, otherwise: str | None, pipeline: str = "ingress"
    ) -> None:
        """Adds a condition; it is the start if it comes first."""
        nodes = self.pipelines[pipeline]
        nodes["conditionals"].append(
            {"name": name, "id": 0, "expression": condition, "true_next": then, "false_next": otherwise}
        )
        nodes["init_table"] = nodes["init_table"] or name

    def register(self, name: str, width: int, size: int) -> Json:
        """The argument that names it."""
        self.registers.append({"name": name, "id": 0, "bitwidth": width, "size": size})
        return {"type": "register_array", "value": name}

    def counter(self, name: str, size: int) -> Json:
        """The argument that names it."""
        self.counters.append({"name": name, "id": 0, "size": size, "is_direct": False})
        return {"type": "counter_array", "value": name}

    def field_list(self, *fields: Json) -> Json:
        """The argument that names it."""
        number = len(self.field_lists) + 1
        self.field_lists.append({"id": number, "name": f"list{number}", "elements": list(fields)})
        return constant(number)

    def learn_list(self, name: str, *elements: Json) -> Json:
        """Adds a digest's elements. Returns the argument that names them."""
        number = len(self.learn_lists) + 1
        self.learn_lists.append({"id": number, "name": name, "elements": list(elements)})
        return constant(number)

    def meter(self, name: str, size: int, unit: str = "packets", **direct: Any) -> Json:
        """Adds a meter. Returns the argument that names it. direct: binding and result_target of a direct meter."""
        declared = {"name": name, "id": 0, "is_direct": bool(direct), "rate_count": 2, "type": unit, "size": size}
        self.meters.append({**declared, **direct})
        return {"type": "meter_array", "value": name}

    def value_set(self, name: str, width: int, size: int = 8) -> None:
        self.value_sets.append({"name": name, "id": 0, "compressed_bitwidth": width, "max_size": size})

    def profile(self, name: str, size: int = 16, algorithm: str | None = None, *inputs: Json) -> None:
        """Adds an action profile for tables of ingress; with an algorithm, it has a selector."""
        declared: Json = {"name": name, "id": 0, "max_size": size}
        if algorithm is not None:
            declared["selector"] = {"algo": algorithm, "input": list(inputs)}
        self.pipelines["ingress"]["action_profiles"].append(declared)

    def calculation(self, algorithm: str, *inputs: Json) -> Json:
        """The argument that names it."""
        name = f"calc_{len(self.calculations)}"
        self.calculations.append({"name": name, "id": 0, "algo": algorithm, "input": list(inputs)})
        return {"type": "calculation", "value": name}

    def checksum(
        self,
        target: Json,
        *inputs: Json,
        condition: Json | None = None,
        update: bool = False,
        algorithm: str = "csum16",
    ) -> None:
        name = self.calculation(algorithm, *inputs)["value"]
        self.checksums.append(
            {
                "name": name,
                "id": 0,
                "target": target["value"],
                "type": "generic",
                "calculation": name,
                "verify": not update,
                "update": update,
                "if_cond": condition,
            }
        )

    def document(self) -> Json:
        states = self.states or [
            {"name": "start", "id": 0, "parser_ops": [], "transitions": [], "transition_key": []},
        ]
        return {
            "__meta__": {"version": self.version},
            "header_types": self.types,
            "headers": self.headers,
            "header_stacks": self.stacks,
            "header_union_types": self.union_types,
            "header_unions": self.unions,
            "header_union_stacks": self.union_stacks,
            "field_lists": self.field_lists,
            "learn_lists": self.learn_lists,
            "meter_arrays": self.meters,
            "parse_vsets": self.value_sets,
            "errors": [[name, code] for code, name in enumerate(ERRORS)],
            "field_aliases": [],
            "parsers": [{"name": "parser", "id": 0, "init_state": states[0]["name"], "parse_states": states}],
            "deparsers": [{"name": "deparser", "id": 0, "order": self.order, "primitives": []}],
            "register_arrays": self.registers,
            "counter_arrays": self.counters,
            "calculations": self.calculations,
            "checksums": self.checksums,
            "actions": self.actions,
            "pipelines": list(self.pipelines.values()),
        }

    def program(self) -> Program:
        return parse_program(json.dumps(self.document()))

    def engine(self, *, strict: bool = False, **options: Any) -> Engine:
        program = self.program().strictly() if strict else self.program()
        return Engine(program, **{"seed": 1, **options})


def run(engine: Engine, *packets: bytes, port: int = 1, now: int = 0) -> list[tuple[int, bytes]]:
    """Processes packets. Returns the packets that leave, as (port, bytes)."""
    return list(engine.process(Frames.of((port, packet) for packet in packets), now))
