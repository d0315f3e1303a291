"""The papers that docstrings and claims cite are in docs/references.md."""

from __future__ import annotations

import re

from dropzero.experiments.catalogue import EXPERIMENTS
from tests.support import ROOT
from tests.test_house import MODULES

ROOMS = (
    "lab/bench",
    *(
        f"dropzero/{room}"
        for room in (
            *("compressors", "experiments", "methods", "problems", "protocol", "simulator", "worker"),
            *("softswitch/compiler", "softswitch/state"),
        )
    ),
)
CITATION = re.compile(r"(?<![\w)])\[([A-Za-z0-9-]+)\]")
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
PAGE = ROOT / "docs" / "references.md"


def _listed() -> set[str]:
    return set(re.findall(r"^- \*\*\[(\S+)\]\*\*", PAGE.read_text(), re.MULTILINE))


def test_every_cited_paper_is_listed() -> None:
    modules = (path.read_text() for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    texts = [text for module in modules for text in DOCSTRING.findall(module)]
    cited = {key for text in (*texts, *(each.claim for each in EXPERIMENTS.values())) for key in CITATION.findall(text)}
    assert {"SwitchML", "OmniReduce", "Biased"} <= cited <= _listed()


def test_every_listed_paper_is_cited() -> None:
    files = [*ROOT.glob("docs/*.md"), *MODULES.values()]
    texts = "".join(file.read_text() for file in files if file != PAGE)
    assert not [key for key in _listed() if f"[{key}]" not in texts]


def test_the_page_of_figures_has_every_claim_of_its_papers() -> None:
    page = (ROOT / "docs" / "figures.md").read_text()
    papers = {"DIANA", "VR-DIANA", "IBGD", "CAT", "GaussianK", "OmniReduce", "SwitchML"}
    claims = [name for name, each in EXPERIMENTS.items() if papers.intersection(CITATION.findall(each.claim))]
    assert len(claims) > 20
    assert not [name for name in claims if f"`{name}`" not in page]


def test_the_page_of_figures_counts_its_rows() -> None:
    page = (ROOT / "docs" / "figures.md").read_text()
    ends = re.findall(r"^\| (?!the figure).*\| (yes|otherwise|partly|no)\b[^|]*\|$", page, re.MULTILINE)
    counts = [ends.count(each) for each in ("yes", "otherwise", "partly", "no")]
    told = "Of {} rows, {} are yes, {} otherwise, {} partly, and {} no."
    assert told.format(sum(counts), *counts) in page
    for paper in page.split("\n## ")[1:]:
        own = re.findall(r"^\| (?!the figure).*\| (yes|otherwise:?|partly|no)[^|]*\|$", paper, re.MULTILINE)
        assert sum(each in ("yes", "otherwise:") for each in own) >= 0.8 * len(own), paper
