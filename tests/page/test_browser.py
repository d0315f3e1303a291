"""The page in a browser: Debian's Chromium, driven by Playwright, if both are there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dropzero.page import standalone
from dropzero.page.samples import NAME, SamplesFile
from dropzero.page.server import FILES, serving
from dropzero.page.standalone import write
from tests.conftest import free_port
from tests.support import ROOT
from tests.support.browser import tab
from tests.support.recorded_run import HEADING, KILLED, SAMPLES, SLOTS, sample

AXE = Path(os.environ.get("AXE") or ROOT / "node_modules/axe-core/axe.min.js")


@pytest.fixture
def run(tmp_path: Path) -> Iterator[tuple[SamplesFile, str]]:
    """A run that is still up, with its samples so far, and its page."""
    with SamplesFile(tmp_path, HEADING) as samples, serving(tmp_path, free_port()) as url:
        for number in range(SAMPLES):
            samples.add(sample(number))
        yield samples, url


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, chromium: Any, run: tuple[SamplesFile, str]) -> Iterator[Any]:
    """The page at the width of a phone. Fails if anything went wrong in the browser."""
    wrong: list[str] = []
    with tab(chromium, viewport={"width": 390, "height": 844}, color_scheme=request.param) as opened:
        opened.on("console", lambda message: wrong.append(message.text))
        opened.on("pageerror", lambda error: wrong.append(str(error)))
        opened.goto(run[1])
        opened.wait_for_selector(".cell")
        yield opened
    assert wrong == []


def open_all(page: Any) -> None:
    """Opens the cards that are closed on a phone."""
    for heading in page.locator("details:not([open]) > summary").all()[::-1]:
        heading.click()


def test_it_fits_a_phone_in_light_and_dark(page: Any, request: pytest.FixtureRequest) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    theme = request.node.callspec.params["page"]
    lightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
    assert (lightness > 128) is (theme == "light")
    page.get_by_role("button", name="Light or dark").click()
    changed = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
    assert (changed > 128) is not (lightness > 128)


def test_a_run_is_followed_paused_stepped_through_and_ends(page: Any, run: tuple[SamplesFile, str]) -> None:
    samples, _ = run
    open_all(page)
    assert page.inner_text("#status") == "live"
    assert f"{10 * SAMPLES - 9} of 200 steps" in " ".join(page.inner_text("#tiles").split())
    assert page.locator(".cell").count() == SLOTS
    # The killed worker, and the event.
    assert page.get_by_role("button", name="h2, worker 1, killed").count() == 1
    assert "worker 1 was killed after step 80" in page.inner_text("#events")
    samples.add(sample(SAMPLES))
    page.locator("#tiles").get_by_text(f"{10 * SAMPLES + 1}", exact=True).wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_label("Time in the run").fill(str(KILLED - 1))
    assert page.locator(".node.gone").count() == 0
    assert "killed" not in page.inner_text("#events")
    page.locator(".cell").nth(5).click()
    assert page.inner_text("#detail") == (
        f"Slot 5 of s1: job 1, epoch 1, round {10 * KILLED - 5}. Contributed: 0. Missing: 1. "
        "Marked: its packets met a long queue."
    )
    assert page.get_by_role("button", name="Slot 5", pressed=True).count() == 1
    label = f"step {10 * KILLED - 9}: 50.0 % of the blocks"
    assert page.locator("#densities").get_attribute("aria-label") == label
    rows = [row.split("\t") for row in page.inner_text("#workers tbody").splitlines()]
    marked = KILLED - 1
    assert rows == [
        ["h1, worker 0", "16", str(2 * marked), "2", str(marked)],
        ["h2, worker 1", "8", str(marked), "1", "0"],
    ]
    page.get_by_role("button", name="One sample forth").click()
    assert page.locator(".node.gone").count() == 1
    summary = {"steps": 200, "seconds": 3.0, "test_accuracy": 0.98, "uplink_bytes": 10, "dense_uplink_bytes": 100}
    samples.add({"t": 20.0, "over": {"summaries": [summary | {"replicas_identical": True}]}})
    page.get_by_text("all workers have the same weights").wait_for()
    assert page.inner_text("#status") == "trained"
    # Nobody is moved on who looks at another moment.
    assert page.get_by_label("Time in the run").input_value() == str(KILLED)


def test_every_control_and_picture_has_a_name(page: Any) -> None:
    controls = "[...document.querySelectorAll('button, input, select, [role=img], [role=button]')]"
    named = "each.getAttribute('aria-label') || each.textContent.trim() || each.labels?.length"
    assert page.evaluate(f"{controls}.filter((each) => !({named})).map((each) => each.outerHTML)") == []


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: npm install axe-core, or AXE=path/to/axe.min.js")
@pytest.mark.parametrize("width", [390, 1200])
def test_axe_finds_no_serious_fault(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    open_all(page)
    # What is chosen looks different.
    page.locator(".cell").nth(5).click()
    page.get_by_role("button", name="h1, worker 0").click()
    # Outside the page's own policy, which allows no such script.
    page.evaluate(AXE.read_text())
    faults = page.evaluate("axe.run()")["violations"]
    assert [
        (fault["id"], node["html"], node["failureSummary"])
        for fault in faults
        for node in fault["nodes"]
        if fault["impact"] in ("serious", "critical")
    ] == []


@contextmanager
def shown(chromium: Any, url: str, width: int = 1280) -> Iterator[Any]:
    """A page at a width. Fails if anything went wrong in the browser."""
    wrong: list[str] = []
    with tab(chromium, viewport={"width": width, "height": 844}) as page:
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(url)
        page.wait_for_selector(".cell")
        yield page
    assert wrong == []


def record(folder: Path, heading: dict[str, Any], moments: Iterable[dict[str, Any]]) -> str:
    """Records a run that has ended. Returns the address of its page.html."""
    summary = {"steps": 200, "seconds": 3.0, "test_accuracy": 0.98, "uplink_bytes": 10, "dense_uplink_bytes": 100}
    with SamplesFile(folder, heading) as samples:
        for moment in moments:
            samples.add(moment)
        ended = summary | {"replicas_identical": True, "killed": [1]}
        samples.add({"t": 20.0, "over": {"summaries": [ended for _ in moment["jobs"]]}})
    write(folder)
    return (folder / standalone.NAME).as_uri()


def without_slots(number: int) -> dict[str, Any]:
    """A sample after the job has left the switch."""
    state = sample(0)["switches"]["s1"] | {"slots": []}
    return sample(number) | {"switches": {"s1": state}}


def test_a_file_shows_what_the_server_shows(chromium: Any, tmp_path: Path) -> None:
    moments = [*map(sample, range(SAMPLES)), without_slots(SAMPLES)]
    file = record(tmp_path, HEADING | {"captured": True}, moments)
    with serving(tmp_path, free_port()) as url:
        assert drawn(chromium, url) == drawn(chromium, file)
    with shown(chromium, file) as page:
        assert "killed: worker 1" in page.inner_text("#outcome")
        # The last sample with slots, not the empty end.
        assert page.locator(".cell").count() == SLOTS
        assert page.get_by_label("Time in the run").input_value() == str(SAMPLES - 1)
        assert page.inner_text("#play") == "Replay"
        assert "thinned" not in page.inner_text("#title")
    write(tmp_path, most=3_000)
    with shown(chromium, file) as page:
        assert "thinned: 8 samples are merged into one" in page.inner_text("#title")


def test_the_run_of_a_protocol_of_ones_own_shows_links_and_slots_but_no_training(chromium: Any, tmp_path: Path) -> None:
    heading = HEADING | {"steps": None, "hosts": HEADING["hosts"] | {"h3": [0, 2]}}
    heading["links"] = [[host, "s1"] for host in heading["hosts"]]
    nothing: dict[str, Any] = {"jobs": [], "workers": [], "gone": [], "events": []}
    slots = [[0, 1, 0, 17, 3, 0, 0], [1, 1, 0, 18, 1, 2, 0]]
    moments = [{"t": 1.0, "links": [[9, 90, 9, 90, 0]] * 3, "switches": {"s1": {"slots": slots}}} | nothing] * 2
    with SamplesFile(tmp_path, heading) as samples:
        for moment in moments:
            samples.add(moment)
        samples.add({"t": 2.0, "over": {"text": "every sum exact"}})
    write(tmp_path)
    with shown(chromium, (tmp_path / standalone.NAME).as_uri()) as page:
        assert page.inner_text("#outcome") == "every sum exact"
        assert page.inner_text("#tiles").split() == ["1", "slots", "that", "wait", "for", "workers"]
        assert page.locator(".cell").count() == 2
        assert page.get_by_role("button", name="h3, server").count() == 1
        assert [page.is_visible(f"#{part}") for part in ("load", "loss", "fates")] == [True, False, False]


def test_two_spines_stand_next_to_each_other_above_the_leaves(chromium: Any, tmp_path: Path) -> None:
    hosts = {f"h{number + 1}": [1, number] for number in range(4)}
    links = [["h1", "s1"], ["h2", "s1"], ["h3", "s2"], ["h4", "s2"]]
    links += [[leaf, spine] for leaf in ("s1", "s2") for spine in ("s3", "s4")]
    heading = HEADING | {"steps": None, "hosts": hosts, "links": links, "switches": ["s1", "s2", "s3", "s4"]}
    slots = {"slots": [[0, 1, 0, 17, 3, 12, 0]]}
    switches = dict.fromkeys(heading["switches"], slots)
    moment = {"t": 1.0, "links": [[9, 90, 9, 90, 0]] * 8, "switches": switches}
    with SamplesFile(tmp_path, heading) as samples:
        for _ in range(2):
            samples.add(moment | {"jobs": [], "workers": [], "gone": ["h3"], "events": []})
        samples.add({"t": 2.0, "over": {"text": "every sum exact"}})
    write(tmp_path)
    with shown(chromium, (tmp_path / standalone.NAME).as_uri()) as page:
        assert page.locator("path.wire").count() == 2 * len(links)
        boxes = {
            name: page.locator(".node.switch", has_text=name).locator("rect").bounding_box()
            for name in heading["switches"]
        }
        assert boxes["s3"]["y"] == boxes["s4"]["y"] < boxes["s1"]["y"] == boxes["s2"]["y"]
        assert boxes["s3"]["x"] + boxes["s3"]["width"] <= boxes["s4"]["x"]
        assert page.get_by_role("button", name="h3, worker 2, killed").count() == 1


def test_a_file_works_where_it_may_store_nothing(chromium: Any, tmp_path: Path) -> None:
    record(tmp_path, HEADING, map(sample, range(SAMPLES)))
    (tmp_path / "mail.html").write_text(f'<iframe sandbox="allow-scripts" src="{standalone.NAME}"></iframe>')
    wrong: list[str] = []
    with tab(chromium, color_scheme="light") as page:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto((tmp_path / "mail.html").as_uri())
        inner = page.frame_locator("iframe")
        inner.locator(".cell").first.wait_for()
        inner.get_by_role("button", name="Light or dark").click()
        inner.locator("html[data-theme=dark]").wait_for()
    assert wrong == []


def drawn(chromium: Any, address: str) -> list[str]:
    """All that a page shows of a run that has ended well."""
    parts = "header, svg, table, ol, #tiles, #slots, #outcome"
    with shown(chromium, address) as page:
        page.locator("#status[data-is=trained]").wait_for()
        found: list[str] = page.evaluate(f"[...document.querySelectorAll('{parts}')].map((each) => each.outerHTML)")
    return found


def many(jobs: int, workers: int, moments: int = 5) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The heading and the samples of a large run. Each job has used two of its 64 slots, and nothing is marked."""
    hosts = {f"h{workers * job + rank + 1}": [job + 1, rank] for job in range(jobs) for rank in range(workers)}
    heading = HEADING | {"hosts": hosts, "links": [[host, "s1"] for host in hosts]}

    def moment(number: int) -> dict[str, Any]:
        everybody = (1 << workers) - 1
        slots = [
            [64 * job + slot, job + 1, 1, (slot < 2) * (number + 1), (slot < 2) * everybody, (slot > 1) * everybody, 0]
            for job in range(jobs)
            for slot in range(64)
        ]
        standing = [
            10 * number + 1,
            2.3 / (number + 1),
            0.96 + number / 100,
            10**9 * number,
            10**10 * number + 1,
            0,
            "0a",
        ]
        links = [[10**6 * number, 10**8 * (at + 1) * number, None, 10**9 * number, 0] for at in range(len(hosts))]
        state = {"slots": slots, "fates": {"absorbed": 10**6 * number}, "delivered": 10**6 * number, "lost": 0}
        return sample(0) | {
            "t": 1.0 + number,
            "links": links,
            "jobs": [[standing]] * jobs,
            "workers": [[[rank, 16 + rank, 0, 0] for rank in range(workers)]] * jobs,
            "switches": {"s1": state},
        }

    return heading, list(map(moment, range(moments)))


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(("jobs", "workers"), [(1, 4), (8, 2), (1, 32)])
def test_texts_stay_in_their_cards_and_apart(
    chromium: Any, tmp_path: Path, jobs: int, workers: int, width: int
) -> None:
    with shown(chromium, record(tmp_path, *many(jobs, workers)), width) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == width
        if width < 640:
            # Five screens, where 64 slots of a job, all charts and tables took seven to twelve.
            assert page.evaluate("document.documentElement.scrollHeight") < 5 * 844
            open_all(page)
        outside = """[...document.querySelectorAll(".chart text")].filter((each) => {
            const inner = each.getBoundingClientRect(), outer = each.closest(".card").getBoundingClientRect();
            return inner.left < outer.left || inner.right > outer.right || inner.bottom > outer.bottom;
        }).map((each) => each.outerHTML)"""
        assert page.evaluate(outside) == []
        overlapping = """[...document.querySelectorAll(".chart")].flatMap((svg) => {
            const rows = [...svg.querySelectorAll(".label")].map((each) => Number(each.getAttribute("y")));
            return rows.sort((a, b) => a - b).filter((y, index) => index && y - rows[index - 1] < 14);
        })"""
        assert page.evaluate(overlapping) == []
        # Slots that no packet has reached take no room.
        assert page.locator(".cell").count() == 2 * jobs
        # A switch carries what its hosts do, in the same second.
        up = sum(8 * 10**8 * (at + 1) for at in range(jobs * workers))
        assert f"in {up / 1e9:.3g} Gbit/s" in page.locator(".node.switch").text_content()
        # What is zero all the time is one line.
        assert page.get_by_label("marked and sent again: 0 at all times").bounding_box()["height"] < 40
        # Nobody sees anything on an axis from 0 to 100 %.
        ticks = page.locator("#accuracy .small").all_text_contents()
        shares = [float(tick.removesuffix(" %")) for tick in ticks if tick.endswith("%")]
        assert len(shares) > 2
        assert (min(shares), max(shares)) == (96, 100)


def test_the_keyboard_reaches_every_slot(chromium: Any, tmp_path: Path) -> None:
    heading, moments = many(3, 2)
    # The first job has left.
    for moment in moments:
        moment["switches"]["s1"]["slots"] = moment["switches"]["s1"]["slots"][64:]
    with shown(chromium, record(tmp_path, heading, moments)) as page:
        assert page.locator(".cell[tabindex='0']").count() == 1
        page.locator(".legend a[href='#word-epoch']").focus()
        page.keyboard.press("Tab")
        for slot in (64, 65, 128, 129):
            assert page.evaluate("document.activeElement.dataset.slot") == str(slot)
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        assert page.inner_text("#detail").startswith("Slot 128 of s1: job 3")
        assert page.locator(".cell[tabindex='0']").get_attribute("data-slot") == "128"


def test_words_are_explained_where_they_stand_and_below(page: Any) -> None:
    links = page.locator("a[href^='#word-']")
    assert links.count() > 10
    for link in links.all():
        meaning = page.locator(link.get_attribute("href")).locator("xpath=following-sibling::dd").text_content()
        assert link.get_attribute("title") == meaning
    assert page.get_by_text("The switch's memory for one lane: the sum").is_hidden()
    page.get_by_role("link", name="slot", exact=True).click()
    assert page.get_by_text("The switch's memory for one lane: the sum").is_visible()
    assert {"absorbed", "replayed", "missing", "epoch", "slot", "lane", "window", "marked"} <= {
        each.removeprefix("word-")
        for each in page.evaluate("[...document.querySelectorAll('dt')].map((each) => each.id)")
    }


def test_a_run_that_failed_says_why(page: Any, run: tuple[SamplesFile, str]) -> None:
    run[0].add({"t": 20.0, "over": {"error": "switch s1 (pid 7) was killed"}})
    page.get_by_text("The run ended early: switch s1 (pid 7) was killed").wait_for()
    assert page.inner_text("#status") == "failed"


def test_what_the_browser_loads_is_small_and_painted_before_the_run_is_known(chromium: Any, tmp_path: Path) -> None:
    """`python -m lab.bench.page` says how soon."""
    entries = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
    with serving(tmp_path, free_port()) as url, tab(chromium) as page:
        page.goto(url)
        while not page.evaluate("performance.getEntriesByName('first-contentful-paint').length"):
            page.wait_for_timeout(10)
        assert page.inner_text("#status") == "connecting"
        sizes = dict(page.evaluate(f"{entries}.map((each) => [new URL(each.name).pathname, each.decodedBodySize])"))
    # What is asked for the samples waits until there are some.
    assert sizes.keys() - {"/samples"} == FILES.keys()
    assert sum(sizes.values()) < 500_000


def test_an_hour_takes_less_than_200_mb_of_the_browsers_memory(chromium: Any, tmp_path: Path) -> None:
    """A sample a second, through the server, as fast as the page takes them."""
    heading, lines = hour()
    with (
        SamplesFile(tmp_path, heading),
        (tmp_path / NAME).open("a", buffering=1) as file,
        serving(tmp_path, free_port()) as url,
        tab(chromium) as page,
    ):
        page.goto(url)
        for second, line in enumerate(lines):
            file.write(line)
            # Often, so that it is drawn often.
            if second % 120 == 119:
                page.get_by_text(f"{second // 60}:59 min of").wait_for()
        assert memory_of(page) < 200e6


def hour() -> tuple[dict[str, Any], Iterator[str]]:
    """The heading and the samples of a run of four workers with 64 slots."""
    hosts = {f"h{rank + 1}": [1, rank] for rank in range(4)}
    heading = HEADING | {"steps": 10**6, "hosts": hosts, "links": [[host, "s1"] for host in hosts]}
    slots = [[slot, 1, 1024, 10**6 + slot, 3, 12, 0] for slot in range(64)]
    same = {
        "links": [[10**6, 10**9, None, 10**9, 0]] * len(hosts),
        "workers": [[[rank, 16, 1000, 1000] for rank in range(4)]],
        "gone": [],
        "switches": {"s1": sample(0)["switches"]["s1"] | {"slots": slots}},
        "events": [["controller", "something was said"]],
    }
    rest = json.dumps(same)[1:]

    def line(second: int) -> str:
        points = [[8 * second + point, 0.123456, 0.9, 10**9, 10**10, second, "0a" * 64] for point in range(8)]
        return f'{{"t":{second},"jobs":{json.dumps([points])},{rest}\n'

    return heading, map(line, range(3600))


def memory_of(page: Any) -> int:
    """The bytes that the page's process does not share, after a collection of garbage."""
    page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
    browser = page.context.browser.new_browser_cdp_session()
    processes = browser.send("SystemInfo.getProcessInfo")["processInfo"]
    # Others wait for pages to come.
    return max(_private(process["id"]) for process in processes if process["type"] == "renderer")


def _private(process: int) -> int:
    rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(1024 * int(row.split()[1]) for row in rows if row.startswith("Private_"))
