"""The page's metrics: Prometheus's own tool accepts them, and the documents and the dashboard know their names."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dropzero.page.exposition import Exposition
from dropzero.page.samples import SamplesFile
from tests.support import ROOT
from tests.support.recorded_run import HEADING, SAMPLES, SLOTS, sample

NAME = re.compile(r"\bdropzero_\w+")
GRID_COLUMNS = 24
"""Columns of a dashboard in Grafana."""


@pytest.fixture
def samples(tmp_path: Path) -> Iterator[SamplesFile]:
    """The samples of a run that is still up."""
    with SamplesFile(tmp_path, HEADING) as samples:
        for number in range(SAMPLES):
            samples.add(sample(number))
        yield samples


@pytest.fixture
def exposition(tmp_path: Path, samples: SamplesFile) -> Exposition:
    return Exposition(tmp_path)


def values(exposition: Exposition) -> dict[tuple[str, tuple[str, ...]], float]:
    """All values, by the metric's name and the values of its labels, which are in the order of their names."""
    families = text_string_to_metric_families(exposition.text().decode())
    found = [each for family in families for each in family.samples]
    return {(each.name, tuple(text for _, text in sorted(each.labels.items()))): each.value for each in found}


def test_they_are_what_the_samples_say(exposition: Exposition, samples: SamplesFile) -> None:
    last = SAMPLES - 1
    found = values(exposition)
    assert found["dropzero_run_sample_time_seconds", ()] == HEADING["began"] + 1 + last
    assert found["dropzero_run_kills_total", ()] == 1
    assert found["dropzero_job_steps_total", ("1",)] == 10 * last + 1
    assert found["dropzero_job_retransmissions_total", ("1",)] == last
    assert (found["dropzero_worker_up", ("h1", "1", "0")], found["dropzero_worker_up", ("h2", "1", "1")]) == (1, 0)
    assert found["dropzero_worker_window_lanes", ("h1", "1", "0")] == 16
    assert found["dropzero_worker_congested_results_total", ("h1", "1", "0")] == 2 * last
    assert ("dropzero_worker_window_lanes", ("h2", "1", "1")) not in found
    assert found["dropzero_job_block_density_ratio", ("1",)] == 0.5
    assert found["dropzero_link_bytes_total", ("down", "h2-s1")] == 20_000 * last
    # The embedded switch sends packets that the kernel counts as one.
    assert ("dropzero_link_packets_total", ("down", "h2-s1")) not in found
    # The last sample has no reading of the switch, the one before has.
    assert found["dropzero_switch_packets_total", ("absorbed", "s1")] == 50 * (last - 1)
    assert found["dropzero_switch_slots", ("s1",)] == SLOTS
    assert found["dropzero_switch_congested_slots", ("s1",)] == 1
    # Nobody waits for worker 1 any more.
    assert found["dropzero_switch_waiting_slots", ("s1",)] == 0
    samples.add(sample(SAMPLES) | {"switches": sample(0)["switches"]})
    assert values(exposition)["dropzero_switch_waiting_slots", ("s1",)] == SLOTS
    samples.add(sample(SAMPLES) | {"jobs": [[]], "switches": {"s1": {"error": "x"}}})
    found = values(exposition)
    assert found["dropzero_job_steps_total", ("1",)] == 10 * SAMPLES + 1
    assert found["dropzero_switch_up", ("s1",)] == 0
    assert ("dropzero_switch_slots", ("s1",)) not in found


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        ([], "running"),
        ([{"over": {"error": "x"}}], "failed"),
        ([{"over": {"summaries": []}}], "trained"),
    ],
    ids=["running", "failed", "trained"],
)
def test_a_run_is_in_one_state(
    exposition: Exposition, samples: SamplesFile, lines: list[dict[str, Any]], state: str
) -> None:
    for line in lines:
        samples.add(line)
    states = {labels: value for (name, labels), value in values(exposition).items() if name == "dropzero_run_state"}
    assert [each for each, value in states.items() if value] == [(state,)]
    assert len(states) == 3


def test_samples_of_older_versions_have_fewer_metrics(tmp_path: Path) -> None:
    old = sample(0)
    del old["workers"], old["jobs"][0][0][6]
    with SamplesFile(tmp_path, HEADING) as samples:
        samples.add(old)
    names = {name for name, _ in values(Exposition(tmp_path))}
    assert "dropzero_job_retransmissions_total" in names
    assert not names & {"dropzero_worker_window_lanes", "dropzero_job_block_density_ratio"}


def test_what_is_not_finite_and_a_run_without_samples_have_no_value(tmp_path: Path) -> None:
    assert Exposition(tmp_path).text() == b""
    with SamplesFile(tmp_path, HEADING) as samples:
        exposition = Exposition(tmp_path)
        assert {name for name, _ in values(exposition)} >= {"dropzero_run_info", "dropzero_run_planned_steps"}
        samples.add(sample(0) | {"jobs": [[[1, float("nan"), None, 0, 1, 0]]]})
        found = values(exposition)
    assert found["dropzero_job_steps_total", ("1",)] == 1
    assert not {("dropzero_job_loss", ("1",)), ("dropzero_job_accuracy_ratio", ("1",))} & found.keys()


@pytest.mark.parametrize(
    "part",
    [
        {"t": "soon"},
        {"jobs": [[[1, 0.5, 0.5, 0, 1]]]},
        {"jobs": [[[1, "little", 0.5, 0, 1, 0]]]},
        {"jobs": [[[1, 0.5, 0.5, 0, 1, 0, 255]]]},
        {"jobs": [[[1, 0.5, 0.5, 0, 1, 0, "0"]]]},
        {"jobs": {}},
        {"links": [[0, 0, 0, 0]] * 2},
        {"links": [[0, 0, 0, 0, 0]]},
        {"workers": [[[7, 16, 0, 0]]]},
        {"switches": {"s1": {}}},
        {"switches": {"s1": {"slots": [[0]], "fates": {}, "delivered": 0, "lost": 0}}},
        {"switches": {"s1": {"fates": {"absorbed": "all"}, "delivered": 0, "lost": 0}}},
        {"events": [["kill"]]},
        {"over": []},
    ],
    ids=str,
)
def test_samples_of_another_form_are_refused(tmp_path: Path, part: dict[str, Any]) -> None:
    with SamplesFile(tmp_path, HEADING) as samples:
        samples.add(sample(0) | part)
        with pytest.raises(ValueError, match=r"."):
            Exposition(tmp_path).text()


def test_a_bug_is_not_taken_for_an_error_in_the_samples(
    exposition: Exposition, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise AttributeError("a bug")

    monkeypatch.setattr("dropzero.page.exposition._waits", broken)
    with pytest.raises(AttributeError, match="a bug"):
        exposition.text()


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool on PATH: apt-get install prometheus")
def test_promtool_finds_nothing_to_complain_of(exposition: Exposition) -> None:
    checked = subprocess.run(["promtool", "check", "metrics"], input=exposition.text(), capture_output=True)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, b"")


def test_every_metric_is_documented_and_no_other(exposition: Exposition) -> None:
    exported = {name for name, _ in values(exposition)}
    assert set(NAME.findall((ROOT / "docs/page.md").read_text())) == exported


def test_the_dashboard_shows_only_metrics_that_there_are(exposition: Exposition) -> None:
    dashboard = json.loads((ROOT / "dropzero/page/grafana.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    queries += [each["query"] for each in dashboard["templating"]["list"] if each["type"] == "query"]
    assert all(map(NAME.search, queries))
    exported = {name for name, _ in values(exposition)}
    assert {name for query in queries for name in NAME.findall(query)} <= exported


def test_grafana_knows_every_key_and_value_of_the_dashboard() -> None:
    """What Grafana's own model reads and writes again has all that was there; it adds defaults."""
    models = pytest.importorskip("grafana_foundation_sdk.models.dashboard", reason="no grafana-foundation-sdk")
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.cog.plugins import register_default_plugins

    register_default_plugins()
    dashboard = json.loads((ROOT / "dropzero/page/grafana.json").read_text())
    known = json.loads(json.dumps(models.Dashboard.from_json(dashboard), cls=JSONEncoder))
    assert list(lost(dashboard, known)) == []
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids))
    cells = Counter(cell for panel in dashboard["panels"] for cell in covered(panel["gridPos"]))
    assert max(cells.values()) == 1
    assert max(column for column, _ in cells) < GRID_COLUMNS


def lost(before: Any, after: Any, at: str = "dashboard") -> Iterator[str]:
    """Where `before` has something that `after` has not."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            yield from lost(value, after.get(key), f"{at}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from lost(*pair, f"{at}[{number}]")
    elif before != after:
        yield f"{at}: {before!r} became {after!r}"


def covered(place: dict[str, int]) -> Iterator[tuple[int, int]]:
    """The cells of Grafana's grid that a panel takes."""
    return product(range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"]))
