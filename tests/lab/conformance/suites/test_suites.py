"""Parsing the output of other projects' test runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from dropzero.p4.v1 import p4runtime_pb2
from lab.conformance.harness import isolation, junit
from lab.conformance.harness.scorecard import Outcome
from lab.conformance.suites import driver, ptf, stratum, tutorials
from lab.conformance.suites.launcher import launch, shims

PTF_OUTPUT = """\
demo.FirstTest ... ok
demo.LoggingTest ... 2026-11-20 - root - INFO - setUp()
table_id: 1 ok
FAIL
demo.HangingTest ... 2026-11-20 - root - INFO - setUp()

======================================================================
FAIL: demo.LoggingTest
----------------------------------------------------------------------
Traceback (most recent call last):
  File "demo.py", line 1, in runTest
AssertionError: no packet

======================================================================
Ran 2 tests in 1.000s
"""
JUNIT = """\
<testsuites><testsuite>
  <testcase classname="tests.test_switch" name="test_one" />
  <testcase classname="tests.test_switch" name="test_two"><failure message="assert 1 == 2&#10;more" /></testcase>
  <testcase classname="tests.test_switch" name="test_three"><skipped message="no target" /></testcase>
</testsuite></testsuites>
"""


def test_ptf_tests_end_with_ok_or_fail_or_without_a_result() -> None:
    assert ptf.outcomes("demo1", PTF_OUTPUT) == [
        Outcome("demo1/demo.FirstTest", "pass"),
        Outcome("demo1/demo.LoggingTest", "fail", "AssertionError: no packet"),
        Outcome("demo1/demo.HangingTest", "hang"),
    ]


def test_pytest_s_report_is_read() -> None:
    assert junit.outcomes(JUNIT) == [
        Outcome("test_switch::test_one", "pass"),
        Outcome("test_switch::test_two", "fail", "assert 1 == 2"),
        Outcome("test_switch::test_three", "skip", "no target"),
    ]


def test_an_exercise_is_judged_by_its_pings() -> None:
    output = "mininet> h1 -> h2\n*** Results: 50% dropped (1/2 received)\nmininet> "
    assert tutorials.outcome("calc", output) == Outcome("calc", "pings-1/2")
    assert tutorials.outcome("calc", "P4 switch s1 did not start correctly.\n") == Outcome(
        "calc", "fail", "P4 switch s1 did not start correctly."
    )


def test_an_exercise_about_queues_is_judged_by_the_congestion_that_packets_report() -> None:
    assert tutorials.queue("ecn", "tos       = 0x1\ntos       = 0x3\n").result == "pass"
    assert tutorials.queue("ecn", "tos       = 0x1\n").result == "fail"
    for depths, result in ((("0", "63", "0"), "pass"), (("0", "31"), "fail"), (("63",), "fail"), ((), "fail")):
        received = "".join(f" |  qdepth    = {depth}\n" for depth in depths)
        assert tutorials.queue("mri", received).result == result


def test_p4cs_driver_passes_or_fails() -> None:
    assert driver.judge(f"INFO: one\n{driver.PASSED}\n") == ("pass", "")
    complaint = "ERROR: Expected 1 packets on port 0 got 2"
    assert driver.judge(f"INFO: one\n{complaint}\nERROR: Test failed\n") == ("fail", complaint)
    assert driver.judge("ERROR: Error compiling\nERROR: Test failed\n") == ("no-compile", "ERROR: Error compiling")
    assert driver.judge("\nno end after 120 s")[0] == "hang"
    assert driver.judge("") == ("fail", "no output")


def test_p4cs_programs_are_those_for_v1model_and_psa(tmp_path: Path) -> None:
    for name, text in {
        "p4_16_samples/one.p4": "#include <core.p4>\n#include <v1model.p4>",
        "p4_16_samples/three.p4": "#include <psa.p4>",
        "p4_16_samples/two.p4": "#include <bmv2/psa.p4>",
        "p4_16_samples/pna.p4": "#include <pna.p4>",
        "p4_14_samples/old.p4": "header_type a {}",
        "p4_14_samples/untested.p4": "",
    }.items():
        path = tmp_path / "testdata" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if path.stem != "untested":
            path.with_suffix(".stf").write_text("")
    found = {program.stem: architecture for program, architecture in driver.programs(tmp_path)}
    assert found == {"old": "v1model", "one": "v1model", "three": "psa", "two": "psa"}


VECTOR = r"""
# a comment with a <
test_cases: <
  action_groups: < sequential_action_group: <
    actions: <
      data_plane_stimulus: < traffic_stimulus: <
        packets: <
          payload: "<\x01\"}"
        >
        port: 3
      > >
    >
    actions: < control_plane_operation: < write_operation: < p4_write_request: <
      device_id: 1
      election_id: < low: 4 >
    > > > >
  > >
  test_case_id: "first"
>
test_cases: <
  test_case_id: "second"
>
"""


def test_a_test_vector_is_read_without_its_definition() -> None:
    first, second = stratum.Node.parse(VECTOR).all("test_cases")
    assert [case.values("test_case_id")[-1] for case in (first, second)] == ['"first"', '"second"']
    stimulus, write = first.all("action_groups", "sequential_action_group", "actions")
    (traffic,) = stimulus.all("data_plane_stimulus", "traffic_stimulus")
    assert traffic.values("port") == ["3"]
    assert [stratum.payload(packet) for packet in traffic.all("packets")] == [b'<\x01"}']
    (request,) = write.all("control_plane_operation", "write_operation", "p4_write_request")
    assert request.into(p4runtime_pb2.WriteRequest()).election_id.low == 4
    with pytest.raises(ValueError, match="brackets"):
        stratum.Node.parse("a: < b: <")


def leave_with(code: int) -> tuple[str, str]:
    os._exit(code)


def abort() -> tuple[str, str]:
    os.abort()


def complain() -> tuple[str, str]:
    raise ValueError("no")


def succeed(detail: str) -> tuple[str, str]:
    return "pass", detail


def test_a_crash_is_an_outcome() -> None:
    assert isolation.call(succeed, ("fine",), 60) == ("pass", "fine")
    assert isolation.call(complain, (), 60) == ("fail", "ValueError: no")
    assert isolation.call(leave_with, (3,), 60) == ("crash", "exit status 3")
    assert isolation.call(abort, (), 60) == ("crash", "SIGABRT")


def compilers(folder: Path) -> None:
    """Makes compilers that refuse .txtpb and write their arguments to the output file."""
    folder.mkdir()
    for name in ("p4c", "p4c-bm2-ss"):
        script = '#!/bin/bash\n[[ "$*" != *.txtpb* ]] && echo "$*" >"${!#}"\n'
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)


def test_txtpb_is_written_for_a_compiler_that_does_not_support_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compilers(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    made = shims(tmp_path / "shims", embedded=True)
    subprocess.run([made / "p4c", "--p4runtime-files", tmp_path / "x.txtpb"], check=True)
    assert (tmp_path / "x.txtpb").read_text() == f"--p4runtime-files {tmp_path}/x.txt\n"
    version = subprocess.run([made / "simple_switch_grpc", "--version"], check=True, capture_output=True, text=True)
    assert "softswitch" in version.stdout


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="namespaces need root and unshare")
def test_a_launcher_sees_its_own_interfaces_and_processes_only(tmp_path: Path) -> None:
    output = launch(
        "ip -brief link; ls -d /proc/[0-9]* | wc -l; echo from $PWD; cat",
        tmp_path / "log",
        seconds=60,
        folder=tmp_path,
        path=(),
        pairs=1,
        text="input",
    )
    assert "veth0@veth1" in output
    assert output.endswith(f"from {tmp_path}\ninput")
    assert int(output.splitlines()[-3]) < 10


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="namespaces need root and unshare")
def test_a_launcher_that_does_not_end_is_killed(tmp_path: Path) -> None:
    output = launch("echo begun; sleep 1000", tmp_path / "log", folder=tmp_path, path=(), seconds=0.5)
    assert output.splitlines()[-1] == "no end after 0.5 s"
