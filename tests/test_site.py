"""The site of `make docs`: its pages, and that it needs nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from dropzero.cli import COMMANDS
from tests.support import ROOT
from tests.support.blocks import documents
from tests.support.browser import chromium

LOADED = re.compile(r"<(?:script|img|iframe)\b[^>]*\bsrc=[\"']?(\S+)|<link\b(?=[^>]*stylesheet)[^>]*\bhref=[\"']?(\S+)")


def test_the_navigation_has_every_page_of_docs() -> None:
    named = set(re.findall(r"\S+\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert {page for page in documents() if page.startswith("docs/")} == {
        page for page in named if page.startswith("docs/")
    } - {"docs/options.md"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if any(find_spec(name) is None for name in ("mkdocs", "material", "mkdocstrings")):
        pytest.skip("MkDocs is not installed (`make docs` does that): the site was not built")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert site / "index.html" in pages
    for page in pages:
        loaded = [script or sheet for script, sheet in LOADED.findall(page.read_text())]
        assert loaded, page
        assert not [each for each in loaded if "//" in each], page


def test_the_search_has_every_kind_of_page(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text()
    for words in ("Communicator", "dropzero simulate", "epoch is never reused", "worker 0 and at least one other"):
        assert words in index


def test_the_search_needs_no_server(site: Path) -> None:
    with chromium() as browser:
        page = browser.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.fill("input[name=query]", "epoch never reused")
        page.locator(".md-search-result__item", has_text="The rules of a slot").wait_for()
    assert {url.partition(":")[0] for url in asked} <= {"file", "data"}


def test_the_reference_has_every_command(site: Path) -> None:
    page = (site / "docs" / "commands.html").read_text()
    for command in (*COMMANDS, "controller serve", "trace audit"):
        assert f"<code>dropzero {command}</code>" in page
