"""The papers that docstrings and claims cite are in docs/references.md."""

from __future__ import annotations

import re
from pathlib import Path

from dropzero.experiments.catalogue import EXPERIMENTS

ROOT = Path(__file__).parents[1]
ROOMS = (
    *("bench", "compressors", "experiments", "methods", "problems", "protocol", "worker"),
    *("softswitch/compiler", "softswitch/state"),
)
CITATION = re.compile(r"(?<![\w)])\[([A-Za-z0-9-]+)\]")
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)


def test_every_cited_paper_is_listed() -> None:
    listed = set(re.findall(r"^- \*\*\[(\S+)\]\*\*", (ROOT / "docs/references.md").read_text(), re.MULTILINE))
    modules = (path.read_text() for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    texts = [text for module in modules for text in DOCSTRING.findall(module)]
    cited = {key for text in (*texts, *(each.claim for each in EXPERIMENTS.values())) for key in CITATION.findall(text)}
    assert {"SwitchML", "OmniReduce", "Biased"} <= cited <= listed
