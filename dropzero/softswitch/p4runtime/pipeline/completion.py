"""Adds to a program what P4Info says about its tables and the JSON leaves out: direct counters and action profiles, in
programs for PSA."""

from __future__ import annotations

from dataclasses import replace

from dropzero.softswitch.p4runtime.pipeline.p4info import P4Info
from dropzero.softswitch.p4runtime.pipeline.refusal import invalid
from dropzero.softswitch.program.model import Control, CounterDeclaration, Program, TableDeclaration


def completed(program: Program, p4info: P4Info) -> Program:
    """The program with these resources. Raises Refusal for action selectors: P4Info does not say what they hash."""
    infos = {table.name: table for table in p4info.tables.values()}
    profiles = {profile.name for profile in program.profiles}
    changed: dict[str, TableDeclaration] = {}
    counters: list[CounterDeclaration] = []
    for declared in program.tables:
        info = infos.get(declared.name)
        if info is None:
            continue
        if info.counter is not None and not declared.direct_counter:
            declared = changed[info.name] = replace(declared, direct_counter=True)
            counters.append(CounterDeclaration(info.counter.name, 0, info.name))
        profile = p4info.profiles.get(info.profile)
        if profile is not None and declared.profile is None:
            if profile.selects:
                raise invalid(f"The device config does not say what the action selector of table {info.name!r} hashes")
            if profile.name in profiles:
                changed[info.name] = replace(declared, profile=profile.name)
    if not changed:
        return program
    added = sorted((each.name, each.direct_counter, each.profile) for each in changed.values())
    return replace(
        program,
        ingress=_with(program.ingress, changed),
        egress=_with(program.egress, changed),
        direct_counters=(*program.direct_counters, *counters),
        digest=f"{program.digest} {added}",
    )


def _with(control: Control, tables: dict[str, TableDeclaration]) -> Control:
    return replace(control, tables={name: tables.get(name, declared) for name, declared in control.tables.items()})
