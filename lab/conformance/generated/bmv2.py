"""BMv2's answers to a case."""

from __future__ import annotations

from pathlib import Path

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.offline.state import config_of
from lab.conformance.fuzzing.fuzz import deepen, thrift_cells
from lab.conformance.fuzzing.updates import replication
from lab.conformance.generated.case import PROGRAM, Answers, Case, state
from lab.conformance.generated.embedded import PRIORITY_QUEUES
from lab.conformance.harness.p4runtime import Client
from lab.conformance.harness.switches import Restarted

EXTRA_SECONDS = 0.03
"""Wait after the last packet that is expected, for packets that are not."""
LATE_SECONDS = 1.0
"""Wait for a packet that is expected."""


class Bmv2(Restarted):
    """A simple_switch_grpc that runs one case after another."""

    def __init__(self, executable: str, build: Path, number: int = 0) -> None:
        build.mkdir(parents=True, exist_ok=True)
        super().__init__([executable], build / f"bmv2-{number}.log", ("--priority-queues", str(PRIORITY_QUEUES)))

    def answers(self, folder: Path, packets: int) -> Answers:
        """Return the answers to the case in a folder. packets: how many are expected. Raises SwitchEnded,
        grpc.RpcError, OSError; ValueError if it refuses the program."""
        case, config = Case.read(folder), config_of(folder / PROGRAM)
        switch = self.switch
        client = Client(switch.control)
        if refusal := client.load(config):
            # After BMv2 has refused one program, it refuses all.
            self.close()
            raise ValueError(refusal)
        deepen(switch)
        accepted = [code == "OK" for code in client.codes(list(case.updates))]
        for port, content in case.packets:
            self.stream.send(port, content)
        received = self.stream.receive(packets, EXTRA_SECONDS, LATE_SECONDS)
        found = state(config.p4info, client.entities, lambda register: thrift_cells(switch, register.preamble.name))
        # They would stay for the next program.
        left = client.entities(*replication())
        client.codes([p4runtime_pb2.Update(type=p4runtime_pb2.Update.DELETE, entity=each) for each in left])
        return Answers(accepted, received, found)
