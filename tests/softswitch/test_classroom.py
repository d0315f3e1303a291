"""Several people's networks on one machine, each from `dropzero tutorials --shell`, with the same names, ports and
files, as p4lang's tutorials have them. STUDENTS=30 says how many."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from itertools import takewhile
from pathlib import Path

import pytest

from dropzero.linux import rootless
from tests.support.ordinary_user import NUMBER, OrdinaryUser, needs_users, ordinary_user
from tests.support.p4runtime_client import PROGRAMS

pytestmark = needs_users

STUDENTS = int(os.environ.get("STUDENTS", "2"))
NETWORK = f"""
for n in 1 2; do
  ip netns add h$n
  ip link add s1-eth$n type veth peer name eth0 netns h$n address 02:00:00:00:00:0$n
  ip link set s1-eth$n up
  ip -n h$n address add 10.0.0.$n/24 dev eth0
  ip -n h$n link set eth0 up
  ip -n h$n neighbour add 10.0.0.$((3 - n)) lladdr 02:00:00:00:00:0$((3 - n)) dev eth0
done
simple_switch_grpc -i 1@s1-eth1 -i 2@s1-eth2 --thrift-port 9090 {PROGRAMS}/kinds.json -- \\
  --grpc-server-addr 0.0.0.0:50051 >/tmp/p4s.s1.log 2>&1 &
until ss -Hltn "sport = :50051" | grep -q .; do sleep 0.1; kill -0 $! || break; done
for n in 1 2; do echo "table_add In.station In.send_to 02:00:00:00:00:0$n => $n"; done | simple_switch_CLI
cat /tmp/*
echo up
"""
PING = "sudo -E COUNT=3 ip netns exec h1 sh -c 'ping -c $COUNT -i 0.1 10.0.0.2'; echo done"


class Shell:
    """A shell of `dropzero tutorials --shell`, until the end of the context."""

    def __init__(self, student: OrdinaryUser) -> None:
        self._process = subprocess.Popen(
            student.dropzero("tutorials", "--shell"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def type(self, text: str) -> None:
        assert self._process.stdin is not None
        # A shell that was refused has ended, and what it said tells why.
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{text}\n")
            self._process.stdin.flush()

    def read(self, last: str) -> str:
        """Returns the output up to the line `last`, or to the shell's end."""
        assert self._process.stdout is not None
        return "".join(takewhile(lambda line: line != f"{last}\n", self._process.stdout))

    def close(self) -> None:
        """Ends the shell, and waits for what it has started."""
        self.type("kill $(jobs -p); wait; exit")
        with suppress(BrokenPipeError):
            self._process.communicate()


@pytest.fixture(scope="module")
def students() -> Iterator[list[OrdinaryUser]]:
    with ExitStack() as stack:
        yield [stack.enter_context(ordinary_user(NUMBER + n)) for n in range(STUDENTS)]


@pytest.fixture(scope="module")
def shells(students: list[OrdinaryUser]) -> Iterator[list[Shell]]:
    """One shell for each student, with a network that is up."""
    with ExitStack() as stack:
        shells = [Shell(student) for student in students]
        for shell in shells:
            stack.callback(shell.close)
            shell.type(NETWORK)
        for shell in shells:
            said = shell.read("up")
            if rootless.REFUSED in said:
                pytest.skip(said)
            # `cat` has printed all files in /tmp: only the switch's log.
            assert said.count("Server listening on 0.0.0.0:50051") == 1, said
            assert said.count("Entry has been added") == 2, said
        yield shells


def test_each_student_has_a_network_of_the_same_names_and_ports(shells: list[Shell]) -> None:
    for shell in shells:
        shell.type(PING)
    for shell in shells:
        assert "3 received, 0% packet loss" in shell.read("done")


def test_another_terminal_of_a_student_sees_the_same_network_and_files(
    students: list[OrdinaryUser], shells: list[Shell]
) -> None:
    second = Shell(students[0])
    second.type("echo 'table_num_entries In.station' | simple_switch_CLI; ls /tmp; echo done")
    said = second.read("done")
    assert "RuntimeCmd: 2\n" in said
    assert said.endswith("p4s.s1.log\n")
    second.close()
    shells[0].type(PING)
    assert "3 received" in shells[0].read("done")


def test_the_end_of_one_network_leaves_the_others(shells: list[Shell]) -> None:
    shells[0].type("kill %1; wait; ss -Hltn; echo done")
    assert shells[0].read("done") == ""
    for shell in shells[1:]:
        shell.type(PING)
        assert "3 received" in shell.read("done")


def test_a_shell_that_would_not_separate_students_is_refused(students: list[OrdinaryUser], tmp_path: Path) -> None:
    student = OrdinaryUser(Path("/tmp"), students[0].number)
    assert "the shell has a /tmp of its own: start it in another folder" in student.said("tutorials", "--shell").stderr
    root = OrdinaryUser(tmp_path, 0).said("tutorials", "--shell")
    assert (root.returncode, root.stdout) == (2, "")
    assert "start the shell as the user who is to have one" in root.stderr
