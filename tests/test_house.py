"""The division of modules: packages without import cycles, each above the packages it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support import ROOT

ORDER = (
    "shared",
    "linux",
    "native",
    "protocol",
    "membership",
    "compressors",
    "traces",
    "softswitch",
    "controller",
    "worker",
    "page",
    "simulator",
    "torch",
    "problems",
    "methods",
    "training",
    "topologies",
    "ina",
    "experiments",
    "dropzero",
    "lab",
    "lab.lines",
    "lab.mutants",
    "lab.conformance",
    "lab.chaos",
    "lab.bench",
    "lab.tofino",
)
"""The packages, in order: each may import those before it."""

APART = (("softswitch", "protocol"), ("softswitch", "compressors"), ("softswitch", "traces"))
"""Exceptions: the first package must not import the second, although it comes later."""

ENTRY = ("dropzero", "dropzero.__main__", "dropzero.cli")
"""Modules in the folder dropzero/ above all packages. All packages share the other ones there."""

Imports = dict[str, set[str]]


def _modules() -> dict[str, Path]:
    """All modules by name, without tests; a package stands for its __init__.py."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for package in ("dropzero", "lab")
        for path in (ROOT / package).rglob("*.py")
    }


def _imported(path: Path) -> Iterator[str]:
    """The names or modules that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def imports() -> Imports:
    """The modules that each module imports."""
    found: Imports = {}
    for module, path in MODULES.items():
        named = {name if name in MODULES else name.rpartition(".")[0] for name in _imported(path)}
        found[module] = (named & MODULES.keys()) - {module}
    return found


def _package(module: str) -> str:
    """A module's folder; shared modules stand for themselves."""
    folder = module.rpartition(".")[0]
    if MODULES[module].name == "__init__.py" or (folder == "dropzero" and module not in ENTRY):
        return module
    return folder


def _room(module: str) -> str:
    first, *rest = module.split(".")
    if first == "lab":
        return ".".join((first, *rest[:1]))
    if module in ENTRY:
        return first
    return rest[0] if rest[0] in ORDER else "shared"


def _written(package: str) -> set[str]:
    """The modules of a folder, without generated ones."""
    modules = {module for module in MODULES if _package(module) == package and module != package}
    return {module for module in modules if not module.endswith(("_pb2", "_pb2_grpc", "__main__"))}


MODULES = _modules()
PACKAGES = sorted(package for package in set(map(_package, MODULES)) if _written(package))


def test_all_imports_are_found() -> None:
    assert "dropzero.softswitch.state.tables.tables" in imports()["dropzero.softswitch.engine.program_state"]
    # An import in a function, and one by the package's name.
    assert "dropzero.softswitch.daemon" in imports()["dropzero.softswitch.cli"]
    assert "dropzero.worker.communicator" in imports()["dropzero"]


def test_packages_have_no_circular_imports() -> None:
    graph: dict[str, set[str]] = {}
    for module, others in imports().items():
        graph.setdefault(_package(module), set()).update(map(_package, others))
    for package, others in graph.items():
        others.discard(package)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        lines = [
            f"{module} imports {other}"
            for package, next_one in pairwise(circle)
            for module in imports()
            for other in imports()[module]
            if (_package(module), _package(other)) == (package, next_one)
        ]
        pytest.fail("\n".join(["packages import each other in a circle:", *sorted(lines)]))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_a_docstring(package: str) -> None:
    assert ast.get_docstring(ast.parse(MODULES[package].read_text())), "its __init__.py has no docstring"


def test_packages_import_only_lower_ones() -> None:
    assert {_room(module) for module in MODULES} == set(ORDER)
    upward = [
        f"{module} imports {other}"
        for module, others in imports().items()
        for other in others
        if ORDER.index(_room(module)) < ORDER.index(_room(other)) or (_room(module), _room(other)) in APART
    ]
    assert not upward


def test_helpers_that_tests_of_several_packages_import_are_in_support() -> None:
    folders = {path: path.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").rglob("*.py")}
    borrowed = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path, folder in folders.items()
        for name in _imported(path)
        if name.startswith("tests.") and (parts := name.split("."))[1] not in (folder, "support", "conftest")
        # A test's own examples are not a helper.
        if not any(part.startswith("test_") for part in parts)
    ]
    assert len(set(folders.values())) > 10
    assert not borrowed


def test_no_function_has_more_than_100_lines() -> None:
    functions = {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in (*MODULES.values(), *(ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert len(functions) > 5000
    assert {name: lines for name, lines in functions.items() if lines > 100} == {}
