"""requirements.txt has everything that running needs: the Makefile makes pip install that and look for nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PINNED = {
    canonicalize_name(line.partition("==")[0]): line.partition("==")[2]
    for line in (Path(__file__).parents[1] / "requirements.txt").read_text().splitlines()
    if line and not line.startswith("#")
}
REPLACED = {"p4runtime", "protobuf"}
"""What p4runtime-shell asks for and does not get: dropzero/p4 takes the place of p4runtime, and with it any protobuf
will do."""


def needed(package: str, extras: frozenset[str], seen: set[tuple[str, frozenset[str]]]) -> Iterator[Requirement]:
    """Yields what an installed package requires, and what that requires."""
    if (package, extras) in seen:
        return
    seen.add((package, extras))
    for line in distribution(package).requires or ():
        requirement = Requirement(line)
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in extras | {""}):
            continue
        name = canonicalize_name(requirement.name)
        if package != "p4runtime-shell" or name not in REPLACED:
            yield requirement
            if name in PINNED or name == "dropzero":
                yield from needed(name, frozenset(requirement.extras), seen)


def test_it_has_what_running_needs_and_nothing_else() -> None:
    names = {canonicalize_name(each.name) for each in needed("dropzero", frozenset({"all"}), set())}
    assert names - {"dropzero"} == set(PINNED)


def test_its_versions_fit_each_other_and_are_installed() -> None:
    for requirement in needed("dropzero", frozenset({"all"}), set()):
        version = distribution(requirement.name).version
        assert requirement.specifier.contains(version, prereleases=True), requirement
        assert version == PINNED.get(canonicalize_name(requirement.name), version)
