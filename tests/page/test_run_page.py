"""The page of a real run: what it shows agrees with the summary, during the run and afterwards. Needs root."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from dropzero.page import standalone
from dropzero.page.samples import NAME, read_from
from dropzero.page.server import MOST_MESSAGES, serving
from dropzero.traces.lane import read_lane
from dropzero.traces.message import Message
from tests.conftest import free_port
from tests.page.test_browser import drawn
from tests.page.test_server import asked
from tests.support.browser import tab
from tests.support.terminal import at_a_terminal, shown

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

WORKERS, STEPS = 3, 60
LANES = 16
"""Which every call uses."""
PICTURES = os.environ.get("PICTURES")
"""A folder for pictures of the page, such as docs; none unless it is set."""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """The folder of a run whose last worker was killed, and the lines that its page served while it went on."""
    out = tmp_path_factory.mktemp("page") / "run"
    with running(out) as url:
        served, offset = b"", "0"
        while b'"over"' not in served:
            status, lines, following = asked(url, f"/samples?from={offset}")
            assert status == 200
            assert following is not None
            served, offset = served + lines, following
    return out, [json.loads(line) for line in served.splitlines()]


@contextmanager
def running(out: Path, *options: str) -> Iterator[str]:
    """A run whose last worker is killed on the way, and its page's address. It must end well."""
    command = [sys.executable, "-m", "dropzero", "run", "--switch", "softswitch", "--workers", str(WORKERS)]
    # Long enough for several readings of the switch, a second or two apart.
    command += ["--delay", "10", "--steps", str(STEPS), "--kill", "worker", "--no-plot", "--out", str(out), *options]
    # At a terminal, the page stays until Enter, however slow the browser is.
    with at_a_terminal(*command) as (process, terminal):
        said = [shown(terminal, r"http://[0-9.:]+/\s")]
        url = re.search(r"http://[0-9.:]+/", said[0])
        assert url is not None, said
        # What is not read would stop the run.
        reader = Thread(target=lambda: said.append(shown(terminal, "until you press Enter")))
        reader.start()
        yield url[0]
        reader.join()
        os.write(terminal, b"\n")
        said.append(shown(terminal))
        assert process.wait() == 0, said


def test_what_the_page_shows_agrees_with_the_summary(live: tuple[Path, list[dict[str, Any]]]) -> None:
    out, (heading, *samples, end) = live
    summary = json.loads((out / "summary.json").read_text())
    assert end["over"]["summaries"] == [summary]
    assert heading["steps"] == STEPS
    assert heading["hosts"] == {f"h{rank + 1}": [1, rank] for rank in range(WORKERS)}
    standings = [standing for sample in samples for (job,) in [sample["jobs"]] for standing in job]
    assert [standing[0] for standing in standings] == sorted({standing[0] for standing in standings})
    step, _, accuracy, _, dense, resent, densities = standings[-1]
    # A tenth of the blocks are sent.
    levels = bytes.fromhex(densities)
    assert sum(levels) / (255 * len(levels)) == pytest.approx(0.1, abs=0.02)
    assert [rank for rank, *_ in samples[-1]["workers"][0]] == list(range(WORKERS - 1))
    assert all(lanes >= 1 for _, lanes, *_ in samples[-1]["workers"][0])
    assert (step, dense, resent) == (STEPS, summary["dense_uplink_bytes"], summary["retransmissions"])
    assert accuracy == summary["test_accuracy"]
    # Counted just after the summary's count.
    for column, name in ((1, "uplink_bytes"), (3, "downlink_bytes")):
        assert sum(link[column] for link in samples[-1]["links"]) == pytest.approx(summary[name], rel=0.01)
    for rank in range(WORKERS - 1):
        sent = json.loads((out / f"worker-{rank}" / "result.json").read_text())["packets_sent"]
        assert samples[-1]["links"][rank][0] == pytest.approx(sent, rel=0.02)


def test_it_shows_the_slots_of_the_job_and_who_is_missing(live: tuple[Path, list[dict[str, Any]]]) -> None:
    _, (_, *samples, _) = live
    slots = [slot for sample in samples for slot in sample["switches"].get("s1", {}).get("slots", [])]
    assert {slot[1] for slot in slots} == {1}
    assert max(slot[3] for slot in slots) > 0
    everybody = (1 << WORKERS) - 1
    assert {slot[4] | slot[5] for slot in slots} <= {everybody, everybody >> 1}
    assert all(slot[4] & slot[5] == 0 for slot in slots)
    counted = samples[-1]["switches"]["s1"]
    assert counted["fates"]["completed"] > 0
    assert counted["delivered"] > counted["fates"]["completed"]


def test_a_killed_worker_is_seen(live: tuple[Path, list[dict[str, Any]]]) -> None:
    _, (_, *samples, _) = live
    events = [text for sample in samples for _, text in sample["events"]]
    assert any(re.fullmatch(rf"worker {WORKERS - 1} was killed after step \d+", text) for text in events)
    assert any("started with 3 workers" in text for text in events)
    assert samples[0]["gone"] == []
    assert samples[-1]["gone"] == [f"h{WORKERS}"]


def test_a_run_of_the_past_is_served_as_it_was(live: tuple[Path, list[dict[str, Any]]]) -> None:
    out, lines = live
    with serving(out, free_port()) as url:
        _, body, _ = asked(url, "/samples?from=0")
        metrics = asked(url, "/metrics")[1].decode()
    assert [json.loads(line) for line in body.splitlines()] == lines
    assert read_from(out, 0)[0] == (out / NAME).read_bytes()
    found = dict(line.rsplit(" ", 1) for line in metrics.splitlines() if not line.startswith("#"))
    assert float(found['dropzero_job_steps_total{job_id="1"}']) == STEPS
    assert float(found['dropzero_run_state{state="trained"}']) == 1
    assert float(found[f'dropzero_worker_up{{host="h{WORKERS}",job_id="1",worker="{WORKERS - 1}"}}']) == 0


def test_a_run_leaves_its_page_in_a_file(chromium: Any, live: tuple[Path, list[dict[str, Any]]]) -> None:
    out, _ = live
    file = out / standalone.NAME
    assert file.stat().st_size < 3_000_000
    with serving(out, free_port()) as url:
        assert drawn(chromium, url) == drawn(chromium, file.as_uri())


def test_a_run_without_a_page_and_a_plot_has_neither_nor_samples(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dropzero", "run", "--switch", "softswitch", "--workers", "1", "--steps", "2"]
    command += ["--no-page", "--no-plot", "--out", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "http" not in done.stdout
    assert not any((tmp_path / "run" / name).exists() for name in (NAME, standalone.NAME, "plot.png"))
    assert "plot.png" not in done.stdout


def test_a_run_is_seen_in_a_browser_from_its_start_to_its_packets(chromium: Any, tmp_path: Path) -> None:
    wrong: list[str] = []
    asked_for: set[str] = set()
    with tab(chromium, viewport={"width": 1200, "height": 1290}) as page:
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: asked_for.add(request.url))
        with running(tmp_path / "run", "--loss", "0.01", "--pcap", "--kill", "controller") as url:
            page.goto(url)
            page.locator(".node.gone").wait_for()
            back = page.get_by_role("button", name="One sample back")
            while page.locator(".node.gone").count():
                back.click()
            page.get_by_role("button", name="One sample forth").click()
            assert page.get_by_role("button", name=f"h{WORKERS}, worker {WORKERS - 1}, killed").count() == 1
            page.locator(".cell").nth(5).click()
            page.locator("#sequence text").first.wait_for()
            lost = r"\d+ of \d+ packets from this round on, \d+ of them lost"
            assert re.fullmatch(lost, page.inner_text("#lane-said"))
            lane, first = next(
                (lane, each.packet.round)
                for lane in range(LANES)
                for each in beginning(tmp_path / "run", lane)
                if each.lost
            )
            page.get_by_label("lane", exact=True).fill(str(lane))
            page.get_by_label("from round").fill(str(first))
            page.get_by_role("button", name="Show", exact=True).click()
            page.locator(f"#sequence[aria-label*='h1 to s1: contribution {first}']").wait_for()
            page.locator("#sequence .said.lost").first.wait_for()
            page.get_by_text("all workers have the same weights").wait_for()
        page.locator("#at").fill(page.get_by_label("Time in the run").get_attribute("max"))
        page.get_by_role("button", name="One sample back").click()
        page.get_by_role("button", name="h2, worker 1").click()
        page.evaluate("scrollTo(0, 0)")
        picture(page, "page.png")
        cards = [page.locator(".card", has=page.locator(name)).bounding_box() for name in ("#densities", "#workers")]
        first, last = cards
        clip = first | {"width": last["x"] + last["width"] - first["x"]}
        picture(page, "blocks.png", clip=clip, full_page=True)
        page.set_viewport_size({"width": 1200, "height": 800})
        picture(page.locator(".card", has=page.locator("#sequence")), "lane.png")
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 390, "height": 844})
        page.evaluate("scrollTo(0, 0)")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        picture(page, "phone.png")
    assert wrong == []
    assert {each.startswith((url, "data:")) for each in asked_for} == {True}


def beginning(out: Path, lane: int) -> list[Message]:
    """What the page shows of a lane."""
    return read_lane(out / "pcaps", 1, lane).messages[:MOST_MESSAGES]


def picture(shown: Any, name: str, **options: Any) -> None:
    if PICTURES is not None:
        shown.screenshot(path=Path(PICTURES) / name, **options)
