"""The page's server: it serves whole lines of a run's samples, to this machine only, on a free port."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from dropzero.page.samples import NAME, SamplesFile
from dropzero.page.server import FILES, serving
from dropzero.protocol.packet import Packet
from dropzero.protocol.wire import UDP_PORT, Kind
from tests.conftest import free_port
from tests.support import ROOT
from tests.support.recorded_run import HEADING, sample


def asked(url: str, path: str, **headers: str) -> tuple[int, bytes, str | None]:
    """The status, the body and the next offset of an answer."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=600)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.headers["X-Next"]


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with serving(tmp_path, free_port()) as url:
        yield url


def test_it_listens_on_other_addresses_only_if_it_is_told_to(tmp_path: Path) -> None:
    """As in a container, whose port Docker publishes on its host's loopback: browsers still ask for 127.0.0.1."""
    with serving(tmp_path, free_port()) as url, pytest.raises(ConnectionRefusedError):
        asked(url.replace("127.0.0.1", "127.0.0.2"), "/")
    with serving(tmp_path, free_port(), listen="0.0.0.0") as url:
        other = url.replace("127.0.0.1", "127.0.0.2")
        assert asked(other, "/", Host="127.0.0.1:8060")[0] == 200
        assert asked(other, "/")[0] == 403


def test_only_whole_lines_are_served_each_once(tmp_path: Path, url: str) -> None:
    with SamplesFile(tmp_path, {"run": "dz0"}) as samples:
        status, first, offset = asked(url, "/samples?from=0")
        assert (status, json.loads(first)) == (200, {"run": "dz0"})
        samples.add({"t": 1.0})
        with (tmp_path / NAME).open("a") as file:
            file.write('{"t":2')
        _, second, behind = asked(url, f"/samples?from={offset}")
        assert json.loads(second) == {"t": 1.0}
        assert behind == str(len(first) + len(second))


def test_what_is_not_finite_is_null(tmp_path: Path) -> None:
    """The loss of a training that diverges, for one."""
    with SamplesFile(tmp_path, {"jobs": [[[1, float("nan"), float("inf"), 0]]]}):
        assert json.loads((tmp_path / NAME).read_text()) == {"jobs": [[[1, None, None, 0]]]}


def test_a_full_disk_ends_the_samples_and_not_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / NAME).symlink_to("/dev/full")
    with SamplesFile(tmp_path, {"run": "dz0"}) as samples:
        samples.add({"t": 1.0})
    assert [each.getMessage() for each in caplog.records] == [
        "the page shows nothing more of this run: No space left on device"
    ]


def test_a_request_waits_for_samples_and_gets_the_last_ones_before_the_server_closes(tmp_path: Path) -> None:
    with SamplesFile(tmp_path, {"run": "dz0"}) as samples:
        with serving(tmp_path, free_port()) as url:
            _, _, offset = asked(url, "/samples?from=0")
            waiting = http.client.HTTPConnection(urlsplit(url).netloc, timeout=600)
            waiting.request("GET", f"/samples?from={offset}")
            # Connections are accepted in order: the one before is when this one has its answer.
            asked(url, "/")
            samples.add({"over": {"error": "why"}})
        assert json.loads(waiting.getresponse().read()) == {"over": {"error": "why"}}


def test_a_browser_that_draws_while_the_run_ends_gets_the_last_samples(tmp_path: Path) -> None:
    found: list[bytes] = []
    with SamplesFile(tmp_path, {"run": "dz0"}) as samples:
        with serving(tmp_path, free_port()) as url:
            _, _, offset = asked(url, "/samples?from=0")
            samples.add({"over": {"error": "why"}})
            again = threading.Timer(0.5, lambda: found.append(asked(url, f"/samples?from={offset}")[1]))
            again.start()
        again.join()
    assert [json.loads(body) for body in found] == [{"over": {"error": "why"}}]


def test_the_files_of_the_page_are_served_and_may_load_nothing_from_elsewhere(url: str) -> None:
    for path in FILES:
        status, body, _ = asked(url, path)
        assert status == 200
        # The name of a kind of XML is not an address that is loaded.
        assert b"://" not in body.replace(b"http://www.w3.org/2000/svg", b"")
    assert asked(url, "/../samples.py")[0] == 404


def test_the_documents_that_the_page_links_to_are_served(url: str) -> None:
    linked = re.findall(r'href="(docs/[^"]+)"', asked(url, "/")[1].decode())
    assert linked
    for path in linked:
        assert asked(url, f"/{path}")[:2] == (200, (ROOT / path).read_bytes())
    assert asked(url, "/docs/none.md") == (404, b"Dropzero's source has this in docs/none.md; it is not here.\n", None)
    assert asked(url, "/docs/../README.md")[0] == 404


def test_metrics_are_served_as_prometheus_reads_them(tmp_path: Path, url: str) -> None:
    with SamplesFile(tmp_path, HEADING) as samples:
        samples.add(sample(0))
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=600)
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert b'dropzero_job_steps_total{job_id="1"} 1.0\n' in answer.read()


def test_metrics_without_their_extra_say_how_to_install_it(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dropzero.extras.find_spec", lambda name: None)
    said = b"/metrics needs prometheus_client: pip install 'dropzero[metrics]'\n"
    assert asked(url, "/metrics")[:2] == (501, said)


def test_a_page_stays_that_of_its_run_when_the_link_to_the_latest_moves(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        SamplesFile(tmp_path / name, {"run": name}).close()
    latest = tmp_path / "latest"
    latest.symlink_to("one")
    with serving(latest, free_port()) as url:
        latest.unlink()
        latest.symlink_to("other")
        assert json.loads(asked(url, "/samples?from=0")[1]) == {"run": "one"}


def test_the_page_is_small(url: str) -> None:
    assert sum(len(asked(url, path)[1]) for path in FILES) < 500_000


@pytest.mark.parametrize("offset", ["-1", "x", "9" * 30, ""])
def test_a_wrong_offset_is_refused_in_words(tmp_path: Path, url: str, offset: str) -> None:
    SamplesFile(tmp_path, {}).close()
    assert asked(url, f"/samples?from={offset}")[:2] == (400, b"from= takes a number of bytes.\n")


def test_another_sites_name_for_this_machine_is_refused(url: str) -> None:
    assert asked(url, "/samples", Host="evil.example:8060")[0] == 403
    assert asked(url, "/", Host="localhost:8060")[0] == 200


@pytest.mark.parametrize("host", ["[::1", "]", "[", "", "[evil]:8060"])
def test_a_malformed_host_is_refused_in_words(url: str, host: str) -> None:
    status, text, *_ = asked(url, "/", Host=host)
    assert (status, bytes(text)[:9]) == (403, b"This page")


@pytest.mark.parametrize("line", ["[]", "{}", "7", '{"run": 3}', '{"run": "dz0", "began": "noon"}'])
def test_metrics_of_malformed_samples_are_refused_in_words(tmp_path: Path, url: str, line: str) -> None:
    (tmp_path / "samples.jsonl").write_text(f"{line}\n{line}\n")
    status, text, *_ = asked(url, "/metrics")
    assert (status, bytes(text)[:27]) == (500, b"The samples cannot be read:")


def test_a_taken_port_is_passed_over(tmp_path: Path) -> None:
    first = free_port()
    with serving(tmp_path, first) as one, serving(tmp_path, first) as other:
        assert one == f"http://127.0.0.1:{first}/"
        assert first < (urlsplit(other).port or 0) < first + 100
        assert asked(other, "/")[0] == 200


@pytest.mark.parametrize(("files", "why"), [([], "it is not a run's folder"), (["topology.json"], "without a page")])
def test_a_folder_without_samples_is_one_line(tmp_path: Path, files: list[str], why: str) -> None:
    for name in files:
        (tmp_path / name).touch()
    command = [sys.executable, "-m", "dropzero", "page", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert why in line


@pytest.fixture
def captured(tmp_path: Path) -> Path:
    """The folder of a run with a packet in a capture."""
    (tmp_path / "pcaps").mkdir()
    packet = Packet(Kind.CONTRIBUTION, job=1, lane=2, epoch=3, round=4, worker=0)
    frame = Ether() / IP(src="10.0.0.1", dst="10.0.0.254") / UDP(sport=UDP_PORT, dport=UDP_PORT) / packet.encode()
    wrpcap(str(tmp_path / "pcaps" / "s1-eth1_in.pcap"), [frame])
    return tmp_path


@pytest.mark.parametrize(("first", "count"), [(0, 1), (4, 1), (5, 0)])
def test_a_lanes_packets_are_served_from_a_round_on(captured: Path, url: str, first: int, count: int) -> None:
    status, body, _ = asked(url, f"/lane?job=1&lane=2&round={first}")
    answer = json.loads(body)
    assert (status, answer["hosts"], answer["switches"], answer["packets"]) == (200, ["10.0.0.1"], ["s1"], count)
    assert [each["text"] for each in answer["messages"]] == ["contribution 4"] * count


@pytest.mark.parametrize(
    ("query", "status", "why"),
    [
        ("job=1&lane=3&round=0", 404, "no packets of lane 3 of job 1"),
        ("job=1&lane=70000&round=0", 404, "no packets of lane 70000"),
        ("job=1&lane=-1&round=0", 400, "take numbers"),
        ("job=1&lane=2", 400, "take numbers"),
        (f"job=1&lane=2&round={'9' * 30}", 400, "take numbers"),
    ],
)
def test_a_lane_that_is_not_there_is_named(captured: Path, url: str, query: str, status: int, why: str) -> None:
    found, body, _ = asked(url, f"/lane?{query}")
    assert (found, why in body.decode()) == (status, True)


def test_large_captures_are_not_read_while_the_run_goes_on(captured: Path) -> None:
    with serving(captured, free_port(), most_captured=10) as url:
        status, body, _ = asked(url, "/lane?job=1&lane=2&round=0")
    assert (status, b"would slow the run" in body) == (404, True)
