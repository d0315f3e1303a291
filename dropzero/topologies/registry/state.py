"""The record of a run's processes and interfaces, written before they exist, so that any process can remove them.

/run/dropzero has a record for each run, with its processes (pid and start time) and interfaces, and a list of its
guests: processes that users started in it. Nothing else is ever killed or deleted.
"""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dropzero.topologies.processes.claim import Claim
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.processes.identity import Identity
from dropzero.topologies.processes.process import GRACE

FOLDER = Path("/run/dropzero")
INTERFACES = Path("/sys/class/net")
CHECKOUT = str(Path(__file__).resolve().parents[3])
"""The folder of this code."""
MAX_RUNS = 100
MAX_NAME = 15
"""The most characters of a run's name."""
MAX_PREFIX = 6
"""The most characters of its interfaces' prefix. Followed by `s1-eth240`, it names an interface, which may have 15."""
MISSING: dict[str, Any] = {
    "interface_prefix": "",
    "user": "",
    "checkout": "unknown",
    "since": "unknown",
    "folder": "",
    "nodes": [],
    "switches": {},
    "rings": {},
}
"""Defaults of the fields that an older version does not write; its run may still be alive."""
OWNER_GRACE = 20.0
"""Seconds that a run has to clean up when it is asked to stop."""


def person() -> str:
    """The login name of the person at this process, also under sudo. Empty for root without sudo: several people may
    be root."""
    user = os.environ.get("SUDO_UID", str(os.geteuid()))
    try:
        return "" if user == "0" else pwd.getpwuid(int(user)).pw_name
    except (KeyError, ValueError):
        return user


@dataclass
class State:
    """The record of one run.

    Attributes:
        prefix: the run's name, with which the names of its files in this folder begin.
        owner: the process that runs it.
        processes: the processes to end with it.
        interfaces: the interfaces to delete with it.
        interface_prefix: what its interfaces' names begin with: the run's name (the default), or a short form of it.
        checkout: the folder of its code.
        user: the login name of who started it; empty: unknown.
        since: when it started, for people.
        folder: the folder of its files.
        nodes: names of the processes in whose network namespaces commands may run.
        switches: P4Runtime addresses, by the switches' names.
        rings: where programs on hosts find rings, by the hosts' names.
    """

    prefix: str
    owner: Identity
    processes: list[Identity] = field(default_factory=list)
    interfaces: list[str] = field(default_factory=list)
    interface_prefix: str = ""
    checkout: str = CHECKOUT
    user: str = field(default_factory=person)
    since: str = field(default_factory=lambda: time.strftime("%b %d %H:%M"))
    folder: str = ""
    nodes: list[str] = field(default_factory=list)
    switches: dict[str, str] = field(default_factory=dict)
    rings: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.interface_prefix = self.interface_prefix or self.prefix

    @classmethod
    def read(cls, path: Path) -> State:
        """Reads a record. Raises OSError, or ValueError if the file is not a run's record."""
        try:
            found = json.loads(path.read_bytes())
        except RecursionError as error:
            raise ValueError("it is nested too deeply") from error
        match {**MISSING, **found} if isinstance(found, dict) else found:
            case {
                "prefix": path.stem,
                "owner": owner,
                "processes": list(processes),
                "interfaces": list(interfaces),
                "interface_prefix": str(start),
                "checkout": str(checkout),
                "user": str(user),
                "since": str(since),
                "folder": str(folder),
                "nodes": list(nodes),
                "switches": dict(switches),
                "rings": dict(rings),
            } if all(isinstance(each, str) for each in (*interfaces, *nodes, *switches.values(), *rings.values())):
                if any(not each.startswith(start or path.stem) for each in interfaces):
                    raise ValueError("it names interfaces of other runs")
                them = [Identity.read(each) for each in processes]
                owner = Identity.read(owner)
                return cls(
                    path.stem, owner, them, interfaces, start, checkout, user, since, folder, nodes, switches, rings
                )
        raise ValueError("a field is missing or has the wrong type")

    def __str__(self) -> str:
        return f"{self.prefix} ({f'of {self.user}, ' * bool(self.user)}checkout {self.checkout}, since {self.since})"

    @property
    def mine(self) -> bool:
        """Whether the person at this process started it, in this checkout."""
        return self.checkout == CHECKOUT and (not self.user or person() in ("", self.user))

    @property
    def path(self) -> Path:
        """The file of the record."""
        return FOLDER / f"{self.prefix}.json"

    @property
    def _guest_list(self) -> Path:
        return self.path.with_suffix(".guests")

    @property
    def controller(self) -> str:
        """The address of the run's controller. Hosts can reach it, and its path is short enough for a socket."""
        return f"unix:{self.path.with_suffix('.sock')}"

    def rings_of(self, switch: str) -> Path:
        """Returns the folder for a switch's rings, whose path is short enough for a socket in it."""
        return self.path.with_name(f"{self.prefix}-{switch}.rings")

    def begin(self) -> None:
        """Writes the record for the first time. From now on, processes can join."""
        try:
            FOLDER.mkdir(mode=0o755, parents=True, exist_ok=True)
            self._guest_list.touch()
        except OSError as error:
            raise SetupError(f"cannot write the run's record in {FOLDER}: {error.strerror}") from error
        self.save()

    def save(self) -> None:
        """Writes the record atomically."""
        FOLDER.mkdir(mode=0o755, parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(asdict(self)))
        partial.replace(self.path)

    def add_process(self, name: str, pid: int) -> None:
        """Adds a process to end."""
        self.processes.append(Identity.of(name, pid))
        self.save()

    def add_interfaces(self, *names: str) -> None:
        """Adds interfaces to delete."""
        self.interfaces.extend(names)
        self.save()

    def node(self, name: str) -> Identity:
        """Returns the process whose network namespace a host or switch has. Raises SetupError if it does not exist."""
        for process in self.processes:
            if process.name == name and name in self.nodes and process.alive:
                return process
        raise SetupError(f"the run {self.prefix} has no {name}; it has {', '.join(self.nodes)}")

    def join(self, name: str) -> None:
        """Makes this process end with the run, even after exec. Raises SetupError if the run has ended."""
        with suppress(FileNotFoundError), self._guest_list.open("r+") as guests:
            fcntl.flock(guests, fcntl.LOCK_EX)
            if os.fstat(guests.fileno()).st_nlink:
                guests.seek(0, os.SEEK_END)
                guests.write(json.dumps(asdict(Identity.of(name, os.getpid()))) + "\n")
                return
        raise SetupError(f"the run {self.prefix} has just ended")

    @property
    def guests(self) -> list[Identity]:
        """The processes that joined and still run."""
        found = []
        with suppress(FileNotFoundError):
            for line in self._guest_list.read_text(errors="replace").splitlines():
                # An unreadable line must not protect the other guests.
                with suppress(ValueError):
                    found.append(Identity.read(json.loads(line)))
        return [guest for guest in found if guest.alive]

    def end_guests(self) -> None:
        """Ends the guests, the latest first. No process can join afterwards."""
        with suppress(FileNotFoundError), self._guest_list.open() as guests:
            # A process that is about to join either does so before this, or finds that the list is gone.
            fcntl.flock(guests, fcntl.LOCK_EX)
            for guest in reversed(self.guests):
                if not guest.end(signal.SIGTERM, GRACE):
                    guest.end(signal.SIGKILL, GRACE)
            self._guest_list.unlink(missing_ok=True)

    def stop(self) -> None:
        """Asks the run to end, and then removes what is left of it."""
        if not self.owner.end(signal.SIGTERM, OWNER_GRACE):
            self.owner.end(signal.SIGKILL, OWNER_GRACE)
        self.clean_after_owner()

    def clean_after_owner(self) -> None:
        """Cleans up if the owner is gone and no other process has cleaned up.

        Several processes may try at once: each waits until it can claim the prefix or the record is gone.
        """
        while not self.owner.alive and self._on_record is not None:
            try:
                claim = _claim(self.prefix, self.interface_prefix)
            except OSError:
                time.sleep(0.01)
                continue
            try:
                if (left := self._on_record) is not None:
                    left.clean()
            finally:
                claim.release()

    @property
    def _on_record(self) -> State | None:
        """The run's current record on disk; None if there is none."""
        return next((state for state in states() if (state.prefix, state.owner) == (self.prefix, self.owner)), None)

    def clean(self) -> None:
        """Ends the processes, and deletes the interfaces and the record. The caller must have claimed the prefix."""
        self.end_guests()
        for process in self.processes:
            process.end(signal.SIGKILL, timeout=5.0)
        for name in self.interfaces:
            if (INTERFACES / name).exists():
                # It may vanish at this moment with the namespace of its other end.
                subprocess.run(["ip", "link", "delete", name], stderr=subprocess.DEVNULL, check=False)
        # A killed controller leaves its sockets: the workers' socket and others next to it.
        for path in (self.path.with_suffix(".sock"), *FOLDER.glob(f"{self.prefix}-*.sock")):
            path.unlink(missing_ok=True)
        for folder in FOLDER.glob(f"{self.prefix}-*.rings"):
            shutil.rmtree(folder, ignore_errors=True)
        self.path.unlink(missing_ok=True)


def states() -> Iterator[State]:
    """Yields all runs on this machine, including crashed ones. Renames files that are not records of runs."""
    for path in sorted(FOLDER.glob("*.json")):
        try:
            yield State.read(path)
        except FileNotFoundError:
            pass
        except PermissionError as error:
            raise SetupError(f"cannot read {path}; try again with sudo") from error
        except (OSError, ValueError) as error:
            _set_aside(path, error)


def _set_aside(path: Path, error: Exception) -> None:
    aside = path.with_name(f"{path.name}.corrupt")
    try:
        path.rename(aside)
    except FileNotFoundError:
        return
    except OSError as reason:
        done = f"cannot rename it: {reason.strerror}"
    else:
        done = f"renamed to {aside.name}"
    print(f"dropzero: {path} is not a run's record ({error}); {done}", file=sys.stderr)


def clean_crashed() -> None:
    """Cleans up after runs that died."""
    for state in states():
        state.clean_after_owner()


def unused(name: str = "") -> tuple[Claim, str]:
    """Claims a run's name that nothing on this machine uses: `name`, or the first free one of `dz0`, `dz1`, ...

    Returns the claim, and what the run's interfaces' names begin with. Raises SetupError if the name is malformed or
    taken, or there are too many runs."""
    if name and not re.fullmatch(rf"[a-z][a-z0-9]{{0,{MAX_NAME - 1}}}", name):
        raise SetupError(
            f"a run's name must be a letter and up to {MAX_NAME - 1} letters or digits, all lower case, not {name}"
        )
    for wanted in [name] if name else [f"dz{number}" for number in range(MAX_RUNS)]:
        for start in _interface_prefixes(wanted):
            with suppress(OSError):
                claim = _claim(wanted, start)
                if not (FOLDER / f"{wanted}.json").exists() and not _interfaces_of(start):
                    return claim, start
                claim.release()
    if not name:
        raise SetupError(f"there are already {MAX_RUNS} runs, the maximum; `dropzero stop` ends them")
    if left := _interfaces_of(name):
        raise SetupError(f"the name {name} is in use by a run, or by what is left of one: {', '.join(left)}")
    raise SetupError(f"there is already a run {name}; choose another name")


def _claim(name: str, interface_prefix: str) -> Claim:
    return Claim(name, f"{interface_prefix}-interfaces")


def _interface_prefixes(name: str) -> Iterator[str]:
    """Yields what the names of a run's interfaces may begin with: its name, or the beginning of a long one, or that
    with a number."""
    yield name[:MAX_PREFIX]
    if len(name) > MAX_PREFIX:
        for number in map(str, range(MAX_RUNS)):
            yield name[: MAX_PREFIX - len(number)] + number


def _interfaces_of(prefix: str) -> list[str]:
    """Returns the interfaces in this network namespace that a run with this name creates."""
    named = re.compile(rf"{re.escape(prefix)}(s\d+-eth|p)\d+")
    return sorted(path.name for path in INTERFACES.iterdir() if named.fullmatch(path.name))
