"""Reads the JSON of p4c's BMv2 backend (format version 2) into a Program.

Older compilers leave out what BMv2 gives a default, and call primitives of P4_14; both are read as BMv2 reads them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from dropzero.json_schema import Object, WrongForm, checked, parsed
from dropzero.softswitch.program import model as p4
from dropzero.softswitch.program.architecture import PSA, V1MODEL
from dropzero.softswitch.program.checks import check
from dropzero.softswitch.program.externs import METHODS, Externs
from dropzero.softswitch.program.schema import PRIMITIVE, PROGRAM, Declared, malformed

Json = Object
T = TypeVar("T")
U = TypeVar("U")

OPERATIONS = {
    **dict.fromkeys(("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"), 2),
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "and", "or"), 2),
    **dict.fromkeys(("two_comp_mod", "usat_cast", "sat_cast"), 2),
    **dict.fromkeys(("access_field", "access_union_header", "dereference_header_stack", "dereference_union_stack"), 2),
    **dict.fromkeys(("~", "not", "d2b", "b2d", "valid", "valid_union", "last_stack_index", "size_stack"), 1),
    "?": 3,
}
"""The operations in expressions, and how many operands each takes."""

PRIMITIVES = {
    **dict.fromkeys(("drop", "no_op", "exit"), 0),
    **dict.fromkeys(("add_header", "remove_header", "mark_to_drop", "truncate", "assert", "assume", "_jump"), 1),
    **dict.fromkeys(("resubmit", "recirculate"), 1),
    **dict.fromkeys(("assign", "assign_VL", "assign_header", "assign_header_stack", "assign_union"), 2),
    **dict.fromkeys(("assign_union_stack", "modify_field", "copy_header", "push", "pop", "count", "log_msg"), 2),
    **dict.fromkeys(("clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress"), 2),
    **dict.fromkeys(("generate_digest", "_jump_if_zero"), 2),
    **dict.fromkeys(("register_read", "register_write", "execute_meter", "modify_field_rng_uniform"), 3),
    "modify_field_with_hash_based_offset": 4,
}
"""The primitives in actions, and how many arguments each takes."""

RENAMED = {"modify_field": "assign", "copy_header": "assign_header"}
"""Primitives of P4_14 that have another name now."""

ARITHMETIC = {"add": "+", "subtract": "-", "bit_and": "&", "bit_or": "|", "bit_xor": "^"}
ARITHMETIC |= {"shift_left": "<<", "shift_right": ">>"}
"""Primitives of P4_14 that assign the result of an operation on two arguments to a third one."""
IN_PLACE = {"add_to_field": "+", "subtract_from_field": "-"}
"""Primitives of P4_14 that change a field by an operation with one argument."""

PRIMITIVES |= dict.fromkeys(ARITHMETIC, 3) | dict.fromkeys(IN_PLACE, 2) | METHODS

PARSER_OPERATIONS = {"extract": 1, "extract_VL": 2, "set": 2, "verify": 2, "advance": 1, "shift": 1, "primitive": 1}
"""The operations in parser states, and how many arguments each takes."""

VALUES = 1024
"""The size of a value set that declares none. In BMv2, no value set is limited."""

PNA_PARSER = "main_parser"
"""The parser of programs for PNA. p4c gives it this name."""


def load_program(path: str | Path) -> p4.Program:
    """Reads a JSON file.

    Raises:
        OSError: the file cannot be read.
        UnsupportedProgram: see `parse_program`.
    """
    return parse_program(Path(path).read_bytes())


def parse_program(content: bytes | str) -> p4.Program:
    """Reads JSON text.

    Raises:
        UnsupportedProgram: this is not a program, or it uses an unsupported feature. The message names the feature and,
            if known, its line in the P4 source.
    """
    text = content.encode() if isinstance(content, str) else content
    try:
        program = _Reader(parsed(text, PROGRAM)).program(hashlib.sha256(text).hexdigest(), text.decode())
    except WrongForm as error:
        raise malformed(str(error)) from error
    except RecursionError:
        raise malformed("its expressions are nested too deeply") from None
    check(program)
    return program


class _Reader:
    def __init__(self, document: Json) -> None:
        # Like BMv2, this takes a document without a version for one of version 2.
        major, *_ = document.get("__meta__", {}).get("version") or (2, 0)
        if major != 2:
            raise p4.UnsupportedProgram(f"version {major} of the BMv2 JSON format is not supported")
        parsers = {declared["name"] for declared in document["parsers"]}
        if PNA_PARSER in parsers:
            raise p4.UnsupportedProgram(
                "a program for PNA, for pna_nic, is not supported: this switch runs programs for v1model and PSA "
                "(p4c --arch v1model or psa)"
            )
        self.architecture = V1MODEL if parsers.isdisjoint(PSA.parsers) else PSA
        self.document = document
        self.primitives: list[p4.Primitive] = []
        self.fields: set[p4.FieldRef] = set()
        for declared in self._all("extern_instances"):
            if declared.get("type") not in self.architecture.externs:
                raise _unsupported(f"an extern instance ({declared['name']})", declared)
        self.externs = Externs(self._all("extern_instances"), _number)
        self.lengths = {
            each["name"]: each["length_exp"] for each in document["header_types"] if each.get("length_exp") is not None
        }
        """The expressions of varbits' widths, by header type, in programs of P4_14. "local" numbers the header's
        fields."""
        self.types = Declared("header type", _named(document["header_types"], self._header_type))
        self.headers = Declared("header", _named(document["headers"], self._header))
        self.header_names = Declared("header", {each["id"]: each["name"] for each in document["headers"]})
        self.stacks = Declared("stack", _named(self._all("header_stacks"), self._stack))
        self.unions = Declared("union", _named(self._all("header_unions"), self._union))
        self.union_names = Declared("union", {each["id"]: each["name"] for each in self._all("header_unions")})
        self.union_types = Declared("union type", _named(self._all("header_union_types"), _union_members))
        self.union_stacks = Declared("stack", _named(self._all("header_union_stacks"), self._union_stack))
        self.actions = Declared("action", {each["id"]: self._action(each) for each in self._all("actions")})

    def _all(self, section: str) -> Any:
        """What is declared in a section that programs may leave out."""
        return self.document.get(section, ())

    def program(self, digest: str, text: str) -> p4.Program:
        pipelines = Declared("pipeline", {each["name"]: each for each in self.document["pipelines"]})
        calculations = Declared("calculation", _named(self._all("calculations"), self._calculation))
        parsers = tuple(map(self._parser, _stages(self.document, "parsers", self.architecture.parsers)))
        deparsers = tuple(map(self._deparser, _stages(self.document, "deparsers", self.architecture.deparsers)))
        ingress, egress = (self._pipeline(pipelines[name]) for name in ("ingress", "egress"))
        # p4c declares PSA's counters twice.
        externs = {each.name for each in self.externs.counters}
        counters = [each for each in self._all("counter_arrays") if each["name"] not in externs]
        return p4.Program(
            headers=self.headers,
            stacks=self.stacks,
            errors=dict(_pair(each, str, int) for each in self._all("errors")),
            aliases=dict(self._alias(each) for each in self._all("field_aliases")),
            parsers=parsers,
            ingress=ingress,
            egress=egress,
            deparsers=deparsers,
            checksums=tuple(self._checksum(each, calculations) for each in self._all("checksums")),
            registers=tuple(
                p4.RegisterDeclaration(each["name"], each["bitwidth"], each["size"])
                for each in self._all("register_arrays")
            ),
            counters=self.externs.counters
            + tuple(
                p4.CounterDeclaration(each["name"], each["size"]) for each in counters if not each.get("is_direct")
            ),
            digest=digest,
            text=text,
            unions=self.unions,
            union_stacks=self.union_stacks,
            meters=(*self.externs.meters, *map(self._meter, self._all("meter_arrays"))),
            profiles=tuple(self._profile(each) for pipeline in pipelines.values() for each in _profiles(pipeline)),
            value_sets=tuple(
                p4.ValueSetDeclaration(each["name"], each["compressed_bitwidth"], each.get("max_size", VALUES))
                for each in self._all("parse_vsets")
            ),
            calculations=calculations | self.externs.calculations,
            digests={
                each["id"]: p4.DigestDeclaration(each["name"], tuple(self._elements(each)))
                for each in self._all("learn_lists")
            },
            field_lists={
                each["id"]: tuple(field for field in self._elements(each) if isinstance(field, p4.FieldRef))
                for each in self._all("field_lists")
            },
            actions=tuple(self.actions.values()),
            direct_counters=tuple(
                p4.CounterDeclaration(each["name"], each.get("size", 0), each.get("binding"))
                for each in counters
                if each.get("is_direct")
            ),
            operations=frozenset(primitive.op for primitive in self.primitives),
            fields=frozenset(self.fields),
            architecture=self.architecture,
        )

    # --- headers ---

    def _header_type(self, declared: Json) -> p4.HeaderType:
        fields = []
        fixed = [_pair(each[:2], str, int) for each in declared["fields"] if each[1:2] != ["*"]]
        for name, width, *flags in declared["fields"]:
            if width == "*":
                if declared["max_length"] is None:
                    raise WrongForm(f"{declared['name']!r} has a varbit, and 'max_length' is None")
                size = 8 * declared["max_length"] - sum(width for _, width in fixed)
                fields.append(p4.FieldType(name, size, variable=True))
                continue
            signed, saturating = (*map(bool, flags), False, False)[:2]
            fields.append(p4.FieldType(name, width, signed, saturating))
        if sum(field.variable for field in fields) > 1:
            raise _unsupported(f"a second varbit in {declared['name']}", declared)
        return p4.HeaderType(declared["name"], tuple(fields))

    def _header(self, declared: Json) -> p4.Header:
        # p4c does not mark the local variables of programs for PSA as metadata.
        metadata = declared.get("metadata", False) or declared["name"] in self.architecture.metadata
        return p4.Header(declared["name"], self.types[declared["header_type"]], metadata)

    def _stack(self, declared: Json) -> p4.Stack:
        headers = tuple(self.header_names[at] for at in declared["header_ids"])
        return p4.Stack(declared["name"], self.types[declared["header_type"]], headers)

    def _union(self, declared: Json) -> p4.Union:
        headers = tuple(self.header_names[at] for at in declared["header_ids"])
        return p4.Union(declared["name"], declared["union_type"], headers)

    def _union_stack(self, declared: Json) -> p4.UnionStack:
        unions = tuple(self.union_names[at] for at in declared["header_union_ids"])
        return p4.UnionStack(declared["name"], self.union_types[declared["union_type"]], unions)

    def _alias(self, declared: list[Any]) -> tuple[str, p4.FieldRef]:
        alias, target = _pair(declared, str, list)
        return alias, self._field(target)

    def _field(self, value: Any) -> p4.FieldRef:
        header, name = _pair(value, str, str)
        if name not in self.headers[header].type.by_name and name != p4.VALID:
            raise p4.UnsupportedProgram(f"there is no field {header}.{name}")
        found = p4.FieldRef(header, name)
        self.fields.add(found)
        return found

    # --- expressions ---

    def _member(self, stack: str, member: str) -> int:
        """The number of a header in the unions of a stack."""
        members: tuple[str, ...] = self.union_stacks[stack].members
        if member not in members:
            raise malformed(f"there is no {member!r} in the unions of {stack}")
        return members.index(member)

    def _expression(self, json_value: Any, where: Json) -> p4.Expression:
        if isinstance(json_value, bool):
            return p4.Boolean(json_value)
        if isinstance(json_value, int):
            return p4.Constant(json_value)
        described = _of(Object, json_value)
        kind, value = described["type"], described["value"]
        match kind:
            case "expression":
                operation = isinstance(value, Object) and "op" in value
                return self._operation(value, where) if operation else self._expression(value, where)
            case "field":
                return self._field(value)
            case "hexstr":
                return p4.Constant(_number(value))
            case "bool":
                return p4.Boolean(_of(bool, value))
            case "local" | "runtime_data":
                return p4.ParameterRef(_of(int, value))
            case "header":
                return p4.HeaderRef(self.headers[_of(str, value)].name)
            case "header_stack":
                return p4.StackRef(self.stacks[_of(str, value)].name)
            case "stack_field":
                name_of_stack, name = _pair(value, str, str)
                stack = self.stacks[name_of_stack]
                # This is how p4c writes stack.last without a field.
                whole = name == "last" and name not in stack.type.by_name
                return p4.LastHeader(stack.name) if whole else p4.LastField(stack.name, name)
            case "header_union":
                return p4.UnionRef(self.unions[_of(str, value)].name)
            case "header_union_stack":
                return p4.UnionStackRef(self.union_stacks[_of(str, value)].name)
            case "union_stack_field":
                *place, field = _of(list, value)
                name_of_stack, member = _pair(place, str, str)
                return p4.LastUnionField(name_of_stack, self._member(name_of_stack, member), _of(str, field))
            case "lookahead":
                return p4.Lookahead(*_pair(value, int, int))
            case "register":
                register, *index = _of(list, value)
                return p4.RegisterCell(_of(str, register), self._expression(_only(index), where))
            case "register_array" | "counter_array" | "meter_array" | "calculation" | "extern":
                return p4.Named(kind, _of(str, value))
            case "string":
                return p4.Text(_of(str, value))
            case "field_list":
                return p4.Values(tuple(self._fields(_listed(value), where)))
            case "parameters_vector":
                return p4.Values(tuple(self._expression(each, where) for each in _listed(value)))
        raise _unsupported(f"a value of type {kind}", where)

    def _operation(self, json_value: Json, where: Json) -> p4.Operation:
        op = _of(str, json_value["op"])
        if op not in OPERATIONS:
            raise _unsupported(f"the operation {op}", where)
        parts = [json_value[side] for side in ("cond", "left", "right") if json_value.get(side) is not None]
        if op in ("+", "-") and len(parts) == 1:
            parts = [0, *parts]
        if len(parts) != OPERATIONS[op]:
            raise p4.UnsupportedProgram(f"the operation {op} takes {OPERATIONS[op]} operands, not {len(parts)}")
        return p4.Operation(op, tuple(self._expression(part, where) for part in parts), _source(where))

    # --- actions ---

    def _action(self, declared: Json) -> p4.Action:
        parameters = tuple(p4.Parameter(each["name"], each["bitwidth"]) for each in declared.get("runtime_data", ()))
        primitives = tuple(self._primitive(each) for each in declared.get("primitives", ()))
        return p4.Action(declared["id"], declared["name"], parameters, primitives)

    def _primitive(self, declared: Json) -> p4.Primitive:
        op = declared["op"]
        if op not in PRIMITIVES:
            raise _unsupported(f"the primitive {op}", declared)
        source = _source(declared)
        arguments = tuple(self._expression(each, declared) for each in declared.get("parameters", ()))
        if len(arguments) != PRIMITIVES[op]:
            raise p4.UnsupportedProgram(f"the primitive {op} takes {PRIMITIVES[op]} arguments, not {len(arguments)}")
        if op in ARITHMETIC:
            target, *operands = arguments
            op, arguments = "assign", (target, p4.Operation(ARITHMETIC[op], tuple(operands), source))
        elif op in RENAMED:
            op = RENAMED[op]
        elif op in METHODS:
            op, arguments = self.externs.call(op, arguments)
        elif op in IN_PLACE:
            op, arguments = "assign", (arguments[0], p4.Operation(IN_PLACE[op], arguments, source))
        primitive = p4.Primitive(op, arguments, source)
        self.primitives.append(primitive)
        return primitive

    # --- parser ---

    def _parser(self, declared: Json) -> p4.Parser:
        states = {each["name"]: self._state(each) for each in declared["parse_states"]}
        return p4.Parser(declared["name"], declared["init_state"], states)

    def _state(self, declared: Json) -> p4.ParseState:
        key = tuple(self._expression(each, declared) for each in declared.get("transition_key", ()))
        for part in key:
            if not isinstance(part, p4.FieldRef | p4.LastField | p4.LastUnionField | p4.Lookahead):
                raise _unsupported(f"a transition on {part}", declared)
        transitions = []
        for each in declared.get("transitions", ()):
            kind, value = each.get("type", "hexstr"), each.get("value")
            if kind == "hexstr" and value == "default":
                kind = "default"
            if kind not in ("default", "hexstr", "parse_vset"):
                raise _unsupported(f"a transition of type {kind} in parser state {declared['name']}", declared)
            mask = None if each.get("mask") is None else _number(each["mask"])
            following = each.get("next_state")
            if kind == "parse_vset":
                transitions.append(p4.Transition(0, mask, following, _of(str, value)))
            else:
                transitions.append(p4.Transition(None if kind == "default" else _number(value), mask, following))
        operations = tuple(self._parser_operation(each, declared) for each in declared.get("parser_ops", ()))
        return p4.ParseState(declared["name"], operations, key, tuple(transitions))  # type: ignore[arg-type]

    def _parser_operation(self, declared: Json, state: Json) -> p4.ParserOperation:
        op, arguments = declared["op"], declared["parameters"]
        if len(arguments) != PARSER_OPERATIONS.get(op, len(arguments)):
            raise malformed(f"{op} with {len(arguments)} arguments")
        match op:
            case "extract" | "extract_VL":
                extracted = _of(Object, arguments[0])
                kind, name = extracted["type"], extracted["value"]
                bits = arguments[1] if op == "extract_VL" else None
                if kind == "regular":
                    return p4.Extract(name, self._width(self.headers[_of(str, name)].type, bits, declared))
                if kind == "stack":
                    return p4.ExtractNext(name, self._width(self.stacks[_of(str, name)].type, bits, declared))
                if kind == "union_stack":
                    stack, member = _pair(name, str, str)
                    number = self._member(stack, member)
                    # `check` sees to it that the stack has unions, and that they all have these headers.
                    headers = [self.unions[union].headers for union in self.union_stacks[stack].unions[:1]]
                    types = [self.headers[each[number]].type for each in headers if number < len(each)]
                    return p4.ExtractNextUnion(stack, number, self._width(_only(types), bits, declared))
            case "set":
                return p4.Set(self._field(_of(Object, arguments[0])["value"]), self._expression(arguments[1], declared))
            case "verify":
                condition, error = (self._expression(argument, declared) for argument in arguments)
                return p4.Verify(condition, error)
            case "advance":
                return p4.Advance(self._expression(arguments[0], declared))
            case "shift":
                return p4.Advance(p4.Constant(8 * _of(int, arguments[0])))
            case "primitive":
                checked(arguments[0], PRIMITIVE, "a primitive")
                return self._primitive(arguments[0])
        raise _unsupported(f"the parser operation {op} in state {state['name']}", declared)

    def _width(self, kind: p4.HeaderType, given: Json | None, where: Json) -> p4.Expression | None:
        """The width of a header's varbit. None: the header has none."""
        if given is None and kind.variable is not None:
            if kind.name not in self.lengths:
                raise p4.UnsupportedProgram(f"the width of {kind.name}.{kind.variable.name} is missing in an extract")
            given = self.lengths[kind.name]
        return None if given is None else self._expression(given, where)

    def _deparser(self, declared: Json) -> p4.Deparser:
        primitives = tuple(self._primitive(each) for each in declared.get("primitives", ()))
        return p4.Deparser(declared.get("name", "deparser"), tuple(declared["order"]), primitives)

    # --- control ---

    def _pipeline(self, declared: Json) -> p4.Control:
        tables = {each["name"]: self._table(each) for each in declared.get("tables", ())}
        conditionals = {
            each["name"]: p4.Conditional(
                each["name"],
                self._expression(each["expression"], each),
                each.get("true_next"),
                each.get("false_next"),
                _source(each),
            )
            for each in declared.get("conditionals", ())
        }
        calls = {
            each["name"]: p4.DirectCall(each["name"], self.actions[each["action_id"]], each.get("next_node"))
            for each in declared.get("action_calls", ())
        }
        return p4.Control(declared["name"], declared.get("init_table"), tables, conditionals, calls)

    def _table(self, declared: Json) -> p4.TableDeclaration:
        name = declared["name"]
        if declared["type"] not in ("simple", "indirect", "indirect_ws"):
            raise _unsupported(f"table {name}'s type {declared['type']}", declared)
        keys = tuple(self._key(each, declared) for each in declared.get("key", ()))
        default = declared.get("default_entry") or Object()
        # Without action_data, it only names the action that the default must have.
        call = self._call(default) if "action_data" in default else None
        actions = tuple(self._actions(declared))
        given = declared.get("entries")
        entries = None if given is None else tuple(self._entry(each, keys, declared) for each in given)
        return p4.TableDeclaration(
            name=name,
            kind=declared["match_type"],
            keys=keys,
            actions=actions,
            size=declared["max_size"] if entries is None else len(entries),
            next=dict.fromkeys((action.name for action in actions), None) | declared.get("next_tables", {}),
            base_next=declared.get("base_default_next"),
            default=call,
            const_default=self.actions[default["action_id"]].name if default.get("action_const") else None,
            default_const=call is not None and default.get("action_entry_const", False),
            entries=entries,
            direct_counter=declared.get("with_counters", False),
            idle_timeout=declared.get("support_timeout", False),
            source=_source(declared),
            direct_meter=declared.get("direct_meters"),
            profile=_profile_name(declared),
        )

    def _actions(self, table: Json) -> Iterator[p4.Action]:
        if "action_ids" in table:
            yield from (self.actions[number] for number in table["action_ids"])
        else:
            by_name = Declared("action", {action.name: action for action in self.actions.values()})
            yield from (by_name[name] for name in table["actions"])

    def _key(self, declared: Json, table: Json) -> p4.Key:
        kind = declared["match_type"]
        if kind not in ("exact", "lpm", "ternary", "range", "valid"):
            raise _unsupported(f"the match kind {kind} of table {table['name']}", table)
        # The target of "valid" is a header.
        target = self._field([declared["target"], p4.VALID] if kind == "valid" else declared["target"])
        width = 1 if target.field == p4.VALID else self.headers[target.header].type.by_name[target.field].width
        mask = declared.get("mask")
        name = declared.get("name") or (target.header if kind == "valid" else str(target))
        return p4.Key(name, kind, target, width, None if mask is None else _number(mask))

    def _call(self, declared: Json) -> p4.ActionCall:
        action = self.actions[declared["action_id"]]
        values = [_number(text) for text in declared.get("action_data", ())]
        if len(values) != len(action.parameters):
            raise malformed(f"{action.name} with {len(values)} arguments")
        return p4.ActionCall(
            action.name,
            tuple(value % (1 << max(0, each.width)) for each, value in zip(action.parameters, values, strict=True)),
        )

    def _entry(self, declared: Json, keys: tuple[p4.Key, ...], table: Json) -> p4.ConstantEntry:
        if len(declared["match_key"]) != len(keys):
            raise malformed(f"an entry of {table['name']} with {len(declared['match_key'])} keys")
        match = tuple(_match(key, each) for key, each in zip(keys, declared["match_key"], strict=True))
        prioritized = table["match_type"] in ("ternary", "range")
        # In the JSON the lower priority wins, in P4Runtime the higher one.
        priority = p4.HIGHEST_PRIORITY - declared.get("priority", 0) if prioritized else 0
        return p4.ConstantEntry(match, self._call(declared["action_entry"]), priority)

    # --- checksums ---

    def _calculation(self, declared: Json) -> p4.Calculation:
        inputs: list[p4.FieldRef | p4.ConstantBits | p4.Payload] = []
        for each in declared["input"]:
            if each["type"] == "field":
                inputs.append(self._field(each["value"]))
            elif each["type"] == "hexstr":
                inputs.append(p4.ConstantBits(_number(each["value"]), each["bitwidth"]))
            elif each["type"] == "header":
                inputs += self._all_fields(_of(str, each["value"]))
            elif each["type"] == "payload":
                inputs.append(p4.Payload())
            else:
                raise _unsupported(f"a calculation over a {each['type']}", declared)
        return p4.Calculation(declared["algo"], tuple(inputs), declared.get("name", ""))

    def _all_fields(self, header: str) -> list[p4.FieldRef]:
        return [p4.FieldRef(header, field.name) for field in self.headers[header].type.fields]

    def _elements(self, declared: Json) -> Iterator[p4.Expression]:
        """The elements of a field list or a learn list."""
        yield from self._fields(declared["elements"], declared)

    def _fields(self, elements: list[Json], where: Json) -> Iterator[p4.Expression]:
        """Reads a list of expressions, with the fields of a header in its place."""
        for each in elements:
            if each["type"] == "header":
                yield from self._all_fields(_of(str, each["value"]))
            else:
                yield self._expression(each, where)

    def _meter(self, declared: Json) -> p4.MeterDeclaration:
        if declared["rate_count"] != 2:
            raise _unsupported(f"meter {declared['name']} of {declared['rate_count']} rates", declared)
        direct = declared.get("is_direct", False)
        return p4.MeterDeclaration(
            declared["name"],
            declared["type"],
            declared["size"],
            declared["binding"] if direct else None,
            self._field(declared["result_target"]) if direct else None,
        )

    def _profile(self, declared: Json) -> p4.ProfileDeclaration:
        selector = declared.get("selector")
        return p4.ProfileDeclaration(
            declared["name"], declared["max_size"], None if selector is None else self._calculation(selector)
        )

    def _checksum(self, declared: Json, calculations: dict[str, p4.Calculation]) -> p4.Checksum:
        target = self._field(declared["target"])
        condition = declared.get("if_cond")
        return p4.Checksum(
            target=target,
            calculation=calculations[declared["calculation"]]
            if declared.get("type") != "ipv4"
            else p4.Calculation("csum16", tuple(each for each in self._all_fields(target.header) if each != target)),
            condition=None if condition is None else self._expression(condition, declared),
            verify=declared.get("verify", True),
            update=declared.get("update", True),
        )


def _of(kind: type[T], value: Any) -> T:
    """Returns `value`, which must be of this type."""
    if type(value) is not kind:
        raise malformed(f"{value!r:.40} in the place of a {kind.__name__.lower()}")
    return value


def _listed(value: Any) -> list[Json]:
    """Returns a list of expressions. p4c writes an empty one as {}, and an only one without a list around it."""
    return _of(list, [value] * bool(value) if isinstance(value, dict) else value)


def _only(values: list[T]) -> T:
    if len(values) != 1:
        raise malformed(f"{values!r:.40} in the place of one")
    return values[0]


def _pair(value: Any, first: type[T], second: type[U]) -> tuple[T, U]:
    """Returns the elements of a list of two."""
    if len(_of(list, value)) != 2:
        raise malformed(f"{value!r:.40} in the place of two")
    return _of(first, value[0]), _of(second, value[1])


def _named(section: Sequence[Json], make: Callable[[Json], T]) -> dict[str, T]:
    return {declared["name"]: make(declared) for declared in section}


def _union_members(declared: Json) -> tuple[str, ...]:
    return tuple(_pair(each, str, str)[0] for each in declared["headers"])


def _stages(document: Json, section: str, names: Sequence[str]) -> list[Json]:
    """Returns the parsers or deparsers of these names, in their order; the first one if there are no names."""
    if not document[section]:
        raise malformed(f"it has no {section}")
    declared = Declared(section.removesuffix("s"), {each["name"]: each for each in document[section] if names})
    return [declared[name] for name in names] or document[section][:1]


def _number(text: Any) -> int:
    try:
        return int(_of(str, text), 16)
    except ValueError:
        raise malformed(f"{text!r:.40} in the place of a hexadecimal number") from None


def _match(key: p4.Key, declared: Json) -> p4.Match:
    match key.kind:
        case "lpm":
            length = declared["prefix_length"]
            if not 0 <= length <= key.width:
                raise malformed(f"a prefix of {length} of the {key.width} bits of {key.name}")
            host_bits = (1 << key.width - length) - 1
            return p4.Lpm(_number(declared["key"]) & ~host_bits, length)
        case "ternary":
            mask = _number(declared["mask"])
            return p4.Ternary(_number(declared["key"]) & mask, mask)
        case "range":
            return p4.Range(_number(declared["start"]), _number(declared["end"]))
        case "valid":
            return p4.Exact(
                int(bool(declared["key"] if isinstance(declared["key"], int) else _number(declared["key"])))
            )
        case _:
            return p4.Exact(_number(declared["key"]))


def _profiles(pipeline: Json) -> Iterator[Json]:
    """The action profiles of a pipeline. Older versions declare them with their tables."""
    yield from pipeline.get("action_profiles", ())
    for table in pipeline.get("tables", ()):
        if "act_prof_name" in table and "action_profile" not in table:
            yield Object(table, name=table["act_prof_name"])


def _profile_name(table: Json) -> str | None:
    """The name of a table's action profile."""
    name: str | None = table.get("action_profile", table.get("act_prof_name"))
    return name


def _source(declared: Json) -> p4.Source | None:
    info = declared.get("source_info")
    if not info or "line" not in info:
        return None
    return p4.Source(info["filename"], info["line"], info.get("source_fragment", ""))


def _unsupported(what: str, declared: Json) -> p4.UnsupportedProgram:
    source = _source(declared)
    return p4.UnsupportedProgram(f"{source}: {what} is not supported" if source else f"{what} is not supported")
