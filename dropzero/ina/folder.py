"""Loads a protocol from its folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from typing import get_type_hints

from dropzero.ina.protocol import Nanoseconds, Protocol, ProtocolError

SOURCE = "protocol.py"


class Folder:
    """A protocol's folder.

    Attributes:
        path: of the folder.
        json, p4info: of the compiled program.
        kind: the subclass of Protocol.
    """

    def __init__(self, path: Path) -> None:
        """Runs its protocol.py. Raises ValueError if something is missing."""
        self.path = path
        self.json, self.p4info = (path / "compiled" / f"program.{end}" for end in ("json", "p4info.txtpb"))
        for needed in (path / SOURCE, self.json, self.p4info):
            if not needed.exists():
                hint = "" if needed.name == SOURCE else f": compile it with p4src/compile {path}"
                raise ValueError(f"there is no {needed}{hint}")
        name = f"dropzero_protocol_{sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
        spec = spec_from_file_location(name, path / SOURCE)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise ValueError(f"{path / SOURCE}: {type(error).__name__}: {error}") from error
        found = [
            each
            for each in vars(module).values()
            if isinstance(each, type) and issubclass(each, Protocol) and each.__module__ == name
        ]
        if len(found) != 1:
            raise ValueError(f"{path / SOURCE} has {len(found)} subclasses of Protocol, not one")
        self.kind: type[Protocol] = found[0]

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """A context in which an exception that the protocol's own code raises becomes a ProtocolError, which names its
        line."""
        try:
            yield
        except Exception as error:
            source = self.path / SOURCE
            frames = extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == str(source.absolute())]
            if not lines:
                raise
            raise ProtocolError(f"{source}, line {lines[-1]}: {type(error).__name__}: {error}") from error

    def protocol(self, workers: int, options: Mapping[str, str]) -> Protocol:
        """Returns the protocol with these options, as texts. Raises ValueError if it has no such option, or a value is
        wrong."""
        types = get_type_hints(self.kind)
        known = {each.name: types[each.name] for each in fields(self.kind) if each.name != "workers"}
        given = {}
        for name, text in options.items():
            if name not in known:
                raise ValueError(f"{self.kind.__name__} has no option {name!r}; it has {', '.join(known) or 'none'}")
            try:
                given[name] = known[name](text)
            except ValueError:
                raise ValueError(f"{name}={text}: not {known[name].__name__}") from None
            if known[name] is Nanoseconds and not given[name]:
                raise ValueError(f"{name}={text}: a time must be above 0")
        return self.kind(workers, **given)
