"""Translates matches and action calls between P4Runtime's messages and the engine's."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.p4info import ActionInfo, Bits, TableInfo
from dropzero.softswitch.p4runtime.pipeline.refusal import invalid
from dropzero.softswitch.program.model import Exact, Lpm, Match, Range, Ternary


def match_of(info: TableInfo, entry: p4runtime_pb2.TableEntry) -> tuple[Match, ...]:
    """The match of a TableEntry, one element for each of the table's fields. Raises Refusal."""
    match = elements(info.fields, entry.match)
    if info.prioritized and entry.priority == 0:
        raise invalid("Zero priority for ternary match")
    if not info.prioritized and entry.priority > 0:
        raise invalid("Non-zero priority for non-ternary match")
    if entry.priority < 0:
        raise invalid("Negative priority")
    return match


def elements(fields: Sequence[Bits], given: Collection[p4runtime_pb2.FieldMatch]) -> tuple[Match, ...]:
    """Translates FieldMatches, one element for each of `fields`. Raises Refusal."""
    if len(given) > len(fields):
        raise invalid("Too many fields in match key")
    by_id = {field.field_id: field for field in given}
    match = tuple(_element(field, by_id.get(field.id)) for field in fields)
    if not by_id.keys() <= {field.id for field in fields} or len(by_id) < len(given):
        raise invalid("Unknown field in match key")
    return match


def fill_match(message: p4runtime_pb2.TableEntry, info: TableInfo, match: tuple[Match, ...], priority: int) -> None:
    """Fills in the match. Omits fields that match anything, as P4Runtime requires."""
    for field, part in zip(info.fields, match, strict=True):
        if field.kind != "exact" and part == _any(field):
            continue
        given = message.match.add(field_id=field.id)
        match part:
            case Exact():
                given.exact.value = field.encode(part.value)
            case Lpm():
                given.lpm.value = field.encode(part.value)
                given.lpm.prefix_len = part.prefix_length
            case Ternary() if field.kind == "optional":
                given.optional.value = field.encode(part.value)
            case Ternary():
                given.ternary.value = field.encode(part.value)
                given.ternary.mask = field.encode(part.mask)
            case Range():
                given.range.low = field.encode(part.low)
                given.range.high = field.encode(part.high)
    message.priority = priority if info.prioritized else 0


def _element(field: Bits, given: p4runtime_pb2.FieldMatch | None) -> Match:
    if given is None:
        return _any(field)
    if given.WhichOneof("field_match_type") != field.kind:
        raise invalid("Invalid match type")
    full = (1 << field.width) - 1
    match field.kind:
        case "exact":
            return Exact(field.decode(given.exact.value))
        case "optional":
            return Ternary(field.decode(given.optional.value), full)
        case "lpm":
            value, length = field.decode(given.lpm.value), given.lpm.prefix_len
            if length < 0:
                raise invalid("Prefix length cannot be < 0")
            if length > field.width:
                raise invalid("Prefix length cannot be > bitwidth")
            if length == 0:
                raise invalid(
                    # BMv2's misspelling, which clients may look for.
                    "Invalid reprsentation of 'don't care' LPM match, "
                    "omit match field instead of using a prefix length of 0"
                )
            if value & full >> length:
                raise invalid("Invalid LPM value, incorrect number of trailing zeros")
            return Lpm(value, length)
        case "ternary":
            value, mask = field.decode(given.ternary.value), field.decode(given.ternary.mask)
            if mask == 0:
                raise invalid(
                    "Invalid representation of 'don't care' ternary match, omit match field instead of using 0 mask"
                )
            if value & ~mask:
                raise invalid("Invalid ternary value, make sure value & mask == value")
            return Ternary(value, mask)
        case _:
            low, high = field.decode(given.range.low), field.decode(given.range.high)
            if low == 0 and high == full:
                raise invalid(
                    "Invalid representation of 'don't care' range match, "
                    "omit match field instead of using low=0 and high=2**bitwidth-1"
                )
            if low > high:
                raise invalid("Invalid range value, make sure low <= high")
            return Range(low, high)


def _any(field: Bits) -> Match:
    match field.kind:
        case "lpm":
            return Lpm(0, 0)
        case "ternary" | "optional":
            return Ternary(0, 0)
        case "range":
            return Range(0, (1 << field.width) - 1)
        case _:
            raise invalid("Missing non-ternary field in match key")


def parameters_of(action: ActionInfo, message: p4runtime_pb2.Action) -> tuple[int, ...]:
    """The parameters that a p4.v1.Action gives to `action`. Raises Refusal."""
    if len(message.params) != len(action.parameters):
        raise invalid("Unexpected number of action parameters")
    values = {parameter.param_id: parameter.value for parameter in message.params}
    if values.keys() != {parameter.id for parameter in action.parameters}:
        raise invalid("Unknown action parameter")
    return tuple(each.decode(values[each.id]) for each in action.parameters)


def fill_call(message: p4runtime_pb2.Action, action: ActionInfo, parameters: tuple[int, ...]) -> None:
    """Fills a p4.v1.Action."""
    message.action_id = action.id
    for parameter, value in zip(action.parameters, parameters, strict=True):
        message.params.add(param_id=parameter.id, value=parameter.encode(value))
