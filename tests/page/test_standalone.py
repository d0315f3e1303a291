"""page.html: the page in one file, with fewer samples if they are many."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dropzero.page import samples as recording
from dropzero.page.samples import POINTS, SamplesFile
from dropzero.page.standalone import NAME, write
from tests.support.recorded_run import HEADING, KILLED, SAMPLES, SLOTS, sample

OVER: dict[str, Any] = {"t": 20.0, "over": {"error": "</script> was typed"}}


def write_run(folder: Path) -> list[dict[str, Any]]:
    lines = [HEADING, *map(sample, range(SAMPLES)), OVER]
    with SamplesFile(folder, HEADING) as samples:
        for line in lines[1:]:
            samples.add(line)
    return lines


def recorded(folder: Path) -> list[dict[str, Any]]:
    """The lines in the file."""
    text = (folder / NAME).read_text()
    data = text.split('id="recorded">\n')[1].split("\n</script>")[0]
    return [json.loads(line) for line in data.splitlines()]


def test_it_has_all_samples_and_loads_nothing(tmp_path: Path) -> None:
    lines = write_run(tmp_path)
    write(tmp_path)
    text = (tmp_path / NAME).read_text()
    assert recorded(tmp_path) == [HEADING | {"merged": 1}, *lines[1:]]
    assert not any(loads in text for loads in ('src="', '<link rel="stylesheet"', "@import", "url("))
    # The script that holds the samples, and the page's own.
    assert text.count("</script>") == 2


@pytest.mark.parametrize("most", [5_000, 2_500, 1])
def test_many_samples_are_merged_until_they_fit(tmp_path: Path, most: int) -> None:
    lines = write_run(tmp_path)
    write(tmp_path, most)
    heading, *moments, end = recorded(tmp_path)
    assert end == OVER
    assert len(moments) == -(-SAMPLES // heading["merged"])
    assert heading["merged"] > 1
    if most > 1:
        assert len("\n".join(json.dumps(line, separators=(",", ":")) for line in [heading, *moments, end])) <= most
    # Counts are those at the end of the merged time, and nothing that happened is left out.
    assert moments[-1]["t"] == lines[-2]["t"]
    assert moments[-1]["links"] == lines[-2]["links"]
    assert [each for moment in moments for each in moment["events"]] == sample(KILLED)["events"]
    assert moments[-1]["jobs"][0][-1] == lines[-2]["jobs"][0][-1]
    assert all(1 <= len(moment["jobs"][0]) <= POINTS for moment in moments)
    assert len(moments[0]["switches"]["s1"]["slots"]) == SLOTS
    again = (tmp_path / NAME).read_bytes()
    write(tmp_path, most)
    assert (tmp_path / NAME).read_bytes() == again


@pytest.mark.parametrize("left", [0, 50, 1000])
def test_it_is_not_made_of_samples_that_a_full_disk_has_cut(tmp_path: Path, left: int) -> None:
    write_run(tmp_path)
    os.truncate(tmp_path / recording.NAME, left)
    with pytest.raises(OSError, match="not complete"):
        write(tmp_path)
    assert not (tmp_path / NAME).exists()


def test_it_does_not_depend_on_the_locale(tmp_path: Path) -> None:
    write_run(tmp_path)
    code = f"from pathlib import Path; from dropzero.page.standalone import write; write(Path({str(tmp_path)!r}))"
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    subprocess.run([sys.executable, "-c", code], env=os.environ | ascii_only, check=True)
    (tmp_path / NAME).read_text("utf-8")
