"""Translates action calls between P4Runtime's ids and the engine's names."""

from __future__ import annotations

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.p4info import ActionInfo
from dropzero.softswitch.p4runtime.pipeline.refusal import invalid


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
