"""Batches of updates, carried out one by one or atomically."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.entries import direct, entities, table
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Pipeline
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid

log = logging.getLogger(__name__)

Update = p4runtime_pb2.Update
Outcomes = list[Refusal | None]

# Entities that always exist: they can be changed and reset, but not inserted or deleted.
CELLS = frozenset({"counter_entry", "direct_counter_entry", "meter_entry", "direct_meter_entry", "register_entry"})

# Entities whose key may omit all fields; in a read, that selects all of them.
ROWS: dict[str, Callable[..., Iterator[p4runtime_pb2.Entity]]] = {
    "table_entry": table.read,
    "direct_counter_entry": direct.read_counter,
    "direct_meter_entry": direct.read_meter,
}


def write(pipeline: Pipeline, updates: Sequence[Update], atomicity: int) -> Outcomes:
    """Carries out the updates. Returns each one's refusal, or None. Packets see all changes of an atomic batch, or
    none. Raises Refusal."""
    if atomicity == p4runtime_pb2.WriteRequest.CONTINUE_ON_ERROR:
        return [_outcome(pipeline, update) for update in updates]
    if atomicity not in p4runtime_pb2.WriteRequest.Atomicity.values():
        raise invalid("Invalid atomicity")
    with pipeline.engine.lock:
        return _write_all(pipeline, updates)


def _write_all(pipeline: Pipeline, updates: Sequence[Update]) -> Outcomes:
    reverse: list[Update] = []
    for number, update in enumerate(updates):
        way_back = list(_way_back(pipeline, update))
        refusal = _outcome(pipeline, update)
        if refusal is not None:
            for step in reversed(reverse):
                if (failure := _outcome(pipeline, step)) is not None:
                    log.error("An update could not be taken back: %s", failure)
            aborted = Refusal(code_pb2.ABORTED, "Taken back, because another update of the batch failed")
            skipped = Refusal(code_pb2.ABORTED, "Not attempted, because another update of the batch failed")
            return [*[aborted] * number, refusal, *[skipped] * (len(updates) - number - 1)]
        reverse += way_back
    return [None] * len(updates)


def _way_back(pipeline: Pipeline, update: Update) -> Iterator[Update]:
    """Yields the updates that undo `update`."""
    if update.type == Update.INSERT:
        yield Update(type=Update.DELETE, entity=update.entity)
        return
    kind = update.entity.WhichOneof("entity") or ""
    gone = update.type == Update.DELETE and kind not in CELLS
    asked = p4runtime_pb2.Entity()
    asked.CopyFrom(update.entity)
    if kind == "table_entry":
        asked.table_entry.ClearField("time_since_last_hit")
        asked.table_entry.counter_data.SetInParent()
        asked.table_entry.meter_config.SetInParent()
    try:
        reader = ROWS.get(kind)
        found = list(reader(pipeline, getattr(asked, kind), exactly=True) if reader else entities.read(pipeline, asked))
    except Refusal:
        return  # the update will be refused, too
    for entity in found:
        yield Update(type=Update.INSERT if gone else Update.MODIFY, entity=entity)


def _outcome(pipeline: Pipeline, update: Update) -> Refusal | None:
    """Carries out one update. Returns its refusal, or None."""
    try:
        entities.write(pipeline, update)
    except Refusal as refusal:
        return refusal
    except Exception as error:
        log.exception("An update failed")
        return Refusal(code_pb2.INTERNAL, repr(error))
    return None
