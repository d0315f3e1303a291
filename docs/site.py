"""The files of the site: the pages of its navigation and all that they link to, at their paths in the checkout, so that
the same links work here and there; and a page of all options, made from the program itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from typer.cli import get_docs_for_click

from dropzero.cli import COMMANDS, program

ROOT = Path(__file__).resolve().parents[1]
OPTIONS_PAGE = "docs/options.md"
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^][]*)\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Replaces the files of docs/, which MkDocs would place at the top."""
    for file in [file for file in files if file.src_dir == config.docs_dir]:
        files.remove(file)
    files.append(File.generated(config, OPTIONS_PAGE, content=_options()))
    waiting = [*_pages(config.nav), *config.extra["polyfills"]]
    for path in waiting:
        if files.get_file_from_path(path) is not None:
            continue
        files.append(File(path, str(ROOT), config.site_dir, config.use_directory_urls))
        if path.endswith(".md"):
            waiting += _targets(path)
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Changes what a site has no use for: links to folders, and how the tests run a block."""

    def checked(link: re.Match[str]) -> str:
        return link[1] if (ROOT / _path(page.file.src_uri, link[2])).is_dir() else link[0]

    return LINK.sub(checked, markdown).replace("```sh terminals\n", "```sh\n")


def _pages(nav: Any) -> Iterator[str]:
    """The paths in a part of the navigation."""
    match nav:
        case str():
            yield nav
        case list():
            for each in nav:
                yield from _pages(each)
        case dict():
            yield from _pages(list(nav.values()))


def _targets(page: str) -> Iterator[str]:
    """The files to which a page links."""
    for _, target in LINK.findall(BLOCK.sub("", (ROOT / page).read_text())):
        path = _path(page, target)
        if (ROOT / path).is_file():
            yield path


def _path(page: str, target: str) -> str:
    """What a page's link leads to, in the checkout."""
    return normpath(join(dirname(page), target))


def _options() -> str:
    """The page of all commands' options."""
    pages = ["# Options\n\nWhat `--help` says, command by command.\n"]
    for name in COMMANDS:
        called = program(name)
        context = typer.Context(called, info_name="dropzero")
        pages.append(get_docs_for_click(obj=called.commands[name], ctx=context, indent=1, call_prefix="dropzero"))
    # Help is plain text: outside of code, these would begin a tag or a link.
    plain = re.compile(r"(```.*?```|`[^`\n]*`)|([<[])", re.DOTALL)
    return plain.sub(lambda found: found[1] or f"&#{ord(found[2])};", "\n".join(pages))
