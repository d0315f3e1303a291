"""Programs of PSA: what leaves, and what is counted, compared with BMv2's psa_switch.

programs/psa.p4 is compiled by `p4c-bm2-psa --arch psa`; psa.json lacks the places in the source. programs/psa.txt has
the verbs that set it up, programs/psa.bmv2.txt what psa_switch sends.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from scapy.utils import rdpcap

from dropzero.softswitch import launchers
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.offline.packets import write
from dropzero.softswitch.program.bmv2_json import load_program, parse_program
from dropzero.softswitch.program.model import Exact, Ternary, UnsupportedProgram
from dropzero.softswitch.runtime_cli import script
from dropzero.softswitch.state.reports import Report
from dropzero.softswitch.state.tables.targets import Group
from dropzero.softswitch.tracing.text import lines
from dropzero.softswitch.tracing.tree import follow
from lab.conformance.harness.switches import EMBEDDED, free_port, running, wait_until
from tests.support.p4runtime_client import INSERT, MODIFY, PROGRAMS, Client, answer, config, open_stream, update

PROGRAM, VERBS, SENT = (PROGRAMS / name for name in ("psa.json", "psa.txt", "psa.bmv2.txt"))
PORTS = range(1, 9)
REFERENCE = "psa_switch"
GAP = 10**6
"""Nanoseconds between two packets, in which psa_switch takes them in their order."""
REPORT = bytes(30)
Packets = list[tuple[int, bytes]]


def packet(operation: int, kind: int = 0x0800, more: bytes = b"", addresses: bytes = bytes(12)) -> bytes:
    return addresses + kind.to_bytes(2, "big") + bytes([operation]) + REPORT + more


def packets() -> Packets:
    """For each operation a few packets: with and without an extra header, and one that is too short for it."""
    draw = random.Random(1)
    made = []
    for operation in [*range(19), *[9] * 5]:
        for kind, more in ((0x0800, b""), (0x1234, b"\xde\xad\x01\x02" + draw.randbytes(5)), (0x1234, b"\xde\xad\x01")):
            made.append((draw.choice(PORTS), packet(operation, kind, more, draw.randbytes(12))))
    return made


def sorted_lines(sent: Packets) -> list[str]:
    """The packets that leave, each with its port. On psa_switch, their order depends on its threads."""
    return [f"{port} {packet.hex()}" for port, packet in sorted(sent) if port in PORTS]


def made(document: Any = None, **options: Any) -> Switch:
    """A switch that runs the program, or a changed one, with the entries that the verbs make."""
    switch = Switch(seed=1, **options)
    switch.replace(switch.compile(load_program(PROGRAM) if document is None else parse_program(json.dumps(document))))
    script.run(switch, VERBS)
    return switch


def run(switch: Switch, *given: tuple[int, bytes], now: int = 0) -> Packets:
    assert switch.engine is not None
    return list(switch.engine.process(Frames.of(given), now))


def document() -> Any:
    return json.loads(PROGRAM.read_text())


# --- compared with psa_switch ---


def test_it_sends_what_psa_switch_sends() -> None:
    switch = made()
    sent = [each for given in packets() for each in run(switch, given)]
    assert sorted_lines(sent) == SENT.read_text().splitlines()


def test_a_batch_sends_what_single_packets_send() -> None:
    assert sorted_lines(run(made(), *packets())) == SENT.read_text().splitlines()


def test_queued_packets_are_parsed_again_when_they_leave_their_queues() -> None:
    switch = made()
    switch.queues.set_depth(1000)
    switch.queues.set_rate(1000)
    assert switch.engine is not None
    at_once = run(switch, *packets())
    later = list(switch.engine.release(10**9)[0])
    assert sorted_lines(at_once) == []
    assert sorted_lines(later) == SENT.read_text().splitlines()


def test_a_process_sends_what_psa_switch_sends(tmp_path: Path) -> None:
    with running(EMBEDDED, tmp_path / "log", PROGRAM) as switch:
        assert "Error" not in verbs(switch.thrift, VERBS.read_text())
        sent, _ = switch.exchange(packets())
        assert sorted_lines(sent) == SENT.read_text().splitlines()
        assert "MirroringSessionConfig(port=5, mgid=None)" in verbs(switch.thrift, "mirroring_get 3")


def test_psa_switch_sends_what_it_is_recorded_to_send(tmp_path: Path) -> None:
    switch = made()
    run(switch, *packets())
    assert switch.engine is not None
    with reference(tmp_path, packets()) as thrift:
        expected = SENT.read_text().splitlines()
        wait_until(lambda: sorted_lines(captured(tmp_path)) == expected, 30)
        assert sorted_lines(captured(tmp_path)) == expected
        shown = verbs(thrift, "\n".join(f"counter_read operations {at}\nregister_read seen {at}" for at in range(16)))
    for at in range(16):
        counted, size = switch.engine.counters["In.operations"].cells[:, at]
        assert f"operations[{at}]= ({size} bytes, {counted} packets)" in shown
        assert f"seen[{at}]= {switch.engine.registers['In.seen'][at]}\n" in shown


@contextmanager
def reference(folder: Path, given: Packets) -> Iterator[int]:
    """Runs psa_switch with the packets from files, after the verbs. Yields the port of its Thrift server."""
    executable = shutil.which(REFERENCE)
    if executable is None:
        pytest.skip(f"there is no {REFERENCE} on PATH: only its recorded output was compared")
    for number in PORTS:
        write(
            folder / f"{number}_in.pcap", [(at * GAP, each) for at, (port, each) in enumerate(given) if port == number]
        )
    interfaces = [word for number in PORTS for word in ("-i", f"{number}@{number}")]
    thrift = free_port()
    command = [executable, "--use-files", "10", *interfaces, "--thrift-port", str(thrift), str(PROGRAM)]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: "RuntimeCmd" in verbs(thrift, VERBS.read_text(), check=False), 10)
        yield thrift
    finally:
        process.kill()
        process.wait()


def verbs(port: int, text: str, *, check: bool = True) -> str:
    """What simple_switch_CLI prints."""
    cli = f"{launchers.PROGRAMS[launchers.CLI]}; main()"
    command = [sys.executable, "-c", cli, "--thrift-port", str(port)]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=check).stdout


def captured(folder: Path) -> Packets:
    sent: Packets = []
    for port in PORTS:
        path = folder / f"{port}_out.pcap"
        # psa_switch writes nothing before a port's first packet.
        if path.exists() and path.stat().st_size:
            sent += ((port, bytes(packet)) for packet in rdpcap(str(path)))
    return sent


# --- what psa_switch does otherwise, or not at all ---


def test_strictly_a_resubmitted_packet_keeps_its_port() -> None:
    def ports(switch: Switch) -> list[int]:
        return [int.from_bytes(content[21:25], "big") for _, content in run(switch, (7, packet(4)))]

    assert (ports(made()), ports(made(strict=True))) == ([0], [7])


def test_local_variables_are_metadata_although_p4c_does_not_say_so() -> None:
    assert load_program(PROGRAM).headers["scalars"].metadata


def test_random_numbers_are_in_their_range() -> None:
    changed = document()
    attributes = [{"name": name, "type": "hexstr", "value": value} for name, value in (("min", "0x5"), ("max", "0x7"))]
    changed["extern_instances"].append({"name": "dice", "id": 99, "type": "Random", "attribute_values": attributes})
    (again,) = (each for each in changed["actions"] if each["name"] == "In.send")
    target = {"type": "field", "value": ["report", "crc32"]}
    again["primitives"].append({"op": "_Random_read", "parameters": [{"type": "extern", "value": "dice"}, target]})
    switch = made(changed)
    drawn = {content[37:41][-1] for _, content in run(switch, *[(1, packet(0))] * 100)}
    assert drawn == {5, 6, 7}


def test_a_hash_of_one_field_needs_no_list_around_it() -> None:
    def sent(hashed: Any) -> Packets:
        changed = document()
        calls = [each for action in changed["actions"] for each in action["primitives"]]
        (call,) = (each for each in calls if each["op"] == "_Hash_get_hash")
        call["parameters"][2]["value"] = hashed
        return run(made(changed), *packets())

    kind = {"type": "field", "value": ["ethernet", "type"]}
    assert sent(kind) == sent([kind]) != run(made(), *packets())


@pytest.mark.parametrize(
    ("extern", "attribute", "value", "reason"),
    [
        ("Meter", "rate_count", 1, "In.rate is not supported: only arrays of meters of two rates are"),
        ("Hash", "algo", "xxh64", "the hash algorithm xxh64 is not supported"),
        ("Meter", "type", None, "there is no attribute of In.rate called 'type'"),
    ],
)
def test_an_extern_that_it_lacks_is_refused(extern: str, attribute: str, value: Any, reason: str) -> None:
    changed = document()
    declared = next(each for each in changed["extern_instances"] if each["type"] == extern)
    values = declared["attribute_values"]
    declared["attribute_values"] = [each for each in values if each["name"] != attribute]
    if value is not None:
        declared["attribute_values"].append({"name": attribute, "type": "string", "value": value})
    with pytest.raises(UnsupportedProgram, match=reason):
        made(changed)


def test_an_internet_checksum_adds_whole_words() -> None:
    changed = document()
    for primitive in (each for deparser in changed["deparsers"] for each in deparser["primitives"]):
        if primitive["op"] == "_InternetChecksum_add":
            primitive["parameters"][1]["value"] = [{"type": "field", "value": ["report", "operation"]}]
    with pytest.raises(UnsupportedProgram, match="an Internet checksum over 8 bits is not supported"):
        made(changed)


def test_a_packet_that_recirculates_forever_ends() -> None:
    switch = made()
    assert switch.engine is not None
    table = switch.engine.tables["In.steer"]
    table.clear()
    table.set_default("In.around", ())
    assert run(switch, (1, packet(0))) == []


# --- P4Runtime ---

STEER = (
    "table_entry {{ table_id: $In.steer priority: 1 "
    'match {{ field_id: 1 exact {{ value: "\\x{operation:02x}" }} }} action {{ {action} }} }}'
)
SEND = 'action {{ action_id: $In.send params {{ param_id: 1 value: "\\x{port:02x}" }} }}'
PRE = "packet_replication_engine_entry {{ {} }}"
REPLICAS = "replicas { egress_port: 2 instance: 5 } replicas { egress_port: 3 instance: 5 }"


def steer(operation: int, action: str) -> str:
    return STEER.format(operation=operation, action=action)


@pytest.fixture
def p4runtime(client: Client) -> Client:
    client.election_id = 1
    open_stream(client, 1).standing()
    return client


def ports(switch: Switch, operation: int) -> list[int]:
    return [port for port, _ in run(switch, (1, packet(operation)))]


def test_a_p4runtime_client_sets_entries_groups_sessions_and_registers(p4runtime: Client, switch: Switch) -> None:
    p4runtime.push(config("psa"))
    parameters = 'params { param_id: 1 value: "\\x07" } params { param_id: 2 value: "\\x01" }'
    multicast = f"action {{ action_id: $In.multicast_to {parameters} }}"
    clone = 'action { action_id: $In.clone_only params { param_id: 1 value: "\\x09" } }'
    session = f"clone_session_entry {{ session_id: 9 packet_length_bytes: 50 {REPLICAS} }}"
    p4runtime.write(
        update(INSERT, steer(0, SEND.format(port=4))),
        update(INSERT, PRE.format(f"multicast_group_entry {{ multicast_group_id: 7 {REPLICAS} }}")),
        update(INSERT, steer(1, multicast)),
        update(INSERT, PRE.format(session)),
        update(INSERT, steer(2, clone)),
        update(MODIFY, 'register_entry { register_id: $In.seen index { index: 0 } data { bitstring: "\\x2a" } }'),
    )
    ((port, sent),) = run(switch, (1, packet(0)))
    assert (port, int.from_bytes(sent[33:37], "big")) == (4, 42)
    assert ports(switch, 1) == [2, 3]
    assert [len(content) for _, content in run(switch, (1, packet(2, more=bytes(99))))] == [50, 50]
    (counted,) = p4runtime.read("counter_entry { counter_id: $In.operations index { index: 0 } }")
    assert counted.counter_entry.data.packet_count == 1
    assert (counted.counter_entry.data.byte_count) == len(packet(0))
    (register,) = p4runtime.read("register_entry { register_id: $In.seen index { index: 0 } }")
    assert register.register_entry.data.bitstring == b"\x2b"


def test_the_port_of_the_control_plane_is_psa_port_cpu(p4runtime: Client, switch: Switch) -> None:
    p4runtime.push(config("psa"))
    to_cpu = 'action { action_id: $In.send params { param_id: 1 value: "\\xff\\xff\\xff\\xfd" } }'
    p4runtime.write(update(INSERT, steer(0, SEND.format(port=4))), update(INSERT, steer(1, to_cpu)))
    (arrived,) = run(switch, (255, packet(0)))
    assert (arrived[0], arrived[1][21:25].hex()) == (4, "fffffffd")
    (left,) = run(switch, (1, packet(1)))
    assert (left[0], left[1][25:29].hex()) == (255, "fffffffd")


def test_a_table_has_the_direct_counter_that_only_p4info_names(p4runtime: Client, switch: Switch) -> None:
    given = config("psa")
    (table,) = (each for each in given.p4info.tables if each.preamble.name == "In.steer")
    counter = given.p4info.direct_counters.add(direct_table_id=table.preamble.id)
    counter.preamble.id, counter.preamble.name = 77, "In.hits"
    counter.spec.unit = counter.spec.BOTH
    table.direct_resource_ids.append(77)
    p4runtime.push(given)
    p4runtime.write(update(INSERT, steer(0, SEND.format(port=4))))
    assert ports(switch, 0) == [4]
    (read,) = p4runtime.read("direct_counter_entry { table_entry { table_id: $In.steer } }")
    assert (read.direct_counter_entry.data.packet_count, read.direct_counter_entry.data.byte_count) == (
        1,
        len(packet(0)),
    )


def profiled(*, selects: bool) -> Any:
    """A config whose table has an action profile in P4Info. p4c declares it in the JSON without saying whose it is,
    unless it is a selector."""
    given, changed = config("psa"), document()
    declared = [] if selects else [{"name": "In.members", "id": 0, "max_size": 8}]
    changed["pipelines"][0]["action_profiles"] = declared
    given.p4_device_config = json.dumps(changed).encode()
    (table,) = (each for each in given.p4info.tables if each.preamble.name == "In.steer")
    profile = given.p4info.action_profiles.add(table_ids=[table.preamble.id], with_selector=selects, size=8)
    profile.preamble.id, profile.preamble.name = 78, "In.members"
    table.implementation_id = 78
    return given


def test_a_table_has_the_action_profile_that_only_p4info_gives_it(p4runtime: Client, switch: Switch) -> None:
    p4runtime.push(profiled(selects=False))
    member = f"action_profile_member {{ action_profile_id: 78 member_id: 5 {SEND.format(port=4)} }}"
    p4runtime.write(update(INSERT, member), update(INSERT, steer(0, "action_profile_member_id: 5")))
    assert ports(switch, 0) == [4]


def test_an_action_selector_without_its_inputs_is_refused(p4runtime: Client) -> None:
    _, reason = answer(lambda: p4runtime.push(profiled(selects=True)))
    assert "does not say what the action selector of table 'In.steer' hashes" in reason


def test_an_action_selector_whose_inputs_the_json_has_chooses_members() -> None:
    """As p4c writes it for v1model. psa_switch sends 120 packets to the same ports."""
    changed = document()
    pipeline = changed["pipelines"][0]
    (table,) = (each for each in pipeline["tables"] if each["name"] == "In.steer")
    table |= {"type": "indirect_ws", "action_profile": "In.members", "default_entry": None}
    selector = {"algo": "crc32", "input": [{"type": "field", "value": ["ethernet", "source"]}]}
    pipeline["action_profiles"] = [{"name": "In.members", "id": 0, "max_size": 8, "selector": selector}]
    switch = Switch(seed=1)
    switch.replace(switch.compile(parse_program(json.dumps(changed))))
    assert switch.engine is not None
    profile = switch.engine.action_profiles["In.members"]
    for number in range(3):
        profile.add_member(number, "In.send", (number + 2,))
    profile.add_group(5, range(3))
    switch.engine.tables["In.steer"].insert((Exact(0), Ternary(0, 0)), Group(5), priority=1)
    sources = [bytes(5) + bytes([number]) for number in range(16)]
    sent = run(switch, *((1, packet(0, addresses=bytes(6) + source)) for source in sources))
    assert [port for port, _ in sent] == [2 + zlib.crc32(source) % 3 for source in sources]


# --- the way of one packet ---


def test_a_trace_shows_both_parsers_and_deparsers() -> None:
    reports: list[Report] = []
    switch = made(follow=reports.append)
    assert switch.engine is not None
    text = "\n".join(lines(follow(switch.engine, reports, 1, packet(2))))
    for part in ("ingress_parser", "ingress", "ingress_deparser", "egress_parser", "egress", "egress_deparser"):
        assert f"─ {part}\n" in text
    assert text.index("─ ingress_deparser\n") < text.index("─ clone, parsed as it arrived\n")
    assert text.count("─ egress_deparser\n") == 2
    dropped = "\n".join(lines(follow(switch.engine, reports, 1, packet(6))))
    assert "psa_ingress_output_metadata.drop is set" in dropped
