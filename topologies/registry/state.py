"""What a run has made on this machine, on disk before it is made, so that any later process can take it away again.

In /run/dropzero, for each run: its record, with processes (pid and start time) and interfaces, and its guests, the
processes that people started in it. Nothing else is ever killed or deleted.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dropzero.topologies.processes.claim import Claim
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.processes.identity import Identity
from dropzero.topologies.processes.process import GRACE

FOLDER = Path("/run/dropzero")
INTERFACES = Path("/sys/class/net")
CHECKOUT = str(Path(__file__).resolve().parents[2])
"""The folder of this very code."""
MAX_RUNS = 100
MAX_NAME = 6
"""Characters of a run's name. With `s1-eth240` after it, it names an interface, which takes 15."""
OWNER_GRACE = 20.0
"""Seconds that a run which is asked to stop has for its own cleaning."""


def _now() -> str:
    return time.strftime("%b %d %H:%M")


@dataclass
class State:
    """The traces of one run.

    `prefix`: its name, with which the names of its interfaces begin; `checkout`: the folder of the code that runs;
    `folder`: of the run's files; `nodes`: the processes by whose names commands run in their network namespaces;
    `switches`: the P4Runtime addresses by name.
    """

    prefix: str
    owner: Identity
    processes: list[Identity] = field(default_factory=list)
    interfaces: list[str] = field(default_factory=list)
    checkout: str = CHECKOUT
    since: str = field(default_factory=_now)
    folder: str = ""
    nodes: list[str] = field(default_factory=list)
    switches: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> State:
        """Raises OSError, or ValueError for what is no record of a run."""
        try:
            found = json.loads(path.read_bytes())
        except RecursionError as error:
            raise ValueError("it is nested too deep") from error
        match found:
            case {
                "prefix": path.stem,
                "owner": owner,
                "processes": list(processes),
                "interfaces": list(interfaces),
                "checkout": str(checkout),
                "since": str(since),
                "folder": str(folder),
                "nodes": list(nodes),
                "switches": dict(switches),
            } if all(isinstance(each, str) for each in (*interfaces, *nodes, *switches.values())):
                if any(not each.startswith(path.stem) for each in interfaces):
                    raise ValueError("it names interfaces that are not the run's")
                them = [Identity.read(each) for each in processes]
                return cls(path.stem, Identity.read(owner), them, interfaces, checkout, since, folder, nodes, switches)
        raise ValueError("something is missing, or of the wrong type")

    def __str__(self) -> str:
        return f"{self.prefix} (checkout {self.checkout}, since {self.since})"

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return FOLDER / f"{self.prefix}.json"

    @property
    def _guest_list(self) -> Path:
        return self.path.with_suffix(".guests")

    @property
    def controller(self) -> str:
        """Where the run's controller listens: a short path, for the kernel takes no long ones, that hosts reach too."""
        return f"unix:{self.path.with_suffix('.sock')}"

    def begin(self) -> None:
        """Writes it down for the first time. From now on others can join."""
        try:
            FOLDER.mkdir(mode=0o755, parents=True, exist_ok=True)
            self._guest_list.touch()
        except OSError as error:
            raise SetupError(f"cannot write down what the run makes in {FOLDER}: {error.strerror}") from error
        self.save()

    def save(self) -> None:
        """Writes it down, whole or not at all."""
        FOLDER.mkdir(mode=0o755, parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(asdict(self)))
        partial.replace(self.path)

    def add_process(self, name: str, pid: int) -> None:
        """A process to end."""
        self.processes.append(Identity.of(name, pid))
        self.save()

    def add_interfaces(self, *names: str) -> None:
        """Interfaces to delete."""
        self.interfaces.extend(names)
        self.save()

    def node(self, name: str) -> Identity:
        """The process in whose network namespace the commands of that host or switch run. Raises SetupError."""
        for process in self.processes:
            if process.name == name and name in self.nodes and process.alive:
                return process
        raise SetupError(f"the run {self.prefix} has no {name}, but {', '.join(self.nodes)}")

    def join(self, name: str) -> None:
        """Has this process end with the run, whatever program it becomes. Raises SetupError if the run has ended."""
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
                # One line that nobody can read does not save the others.
                with suppress(ValueError):
                    found.append(Identity.read(json.loads(line)))
        return [guest for guest in found if guest.alive]

    def end_guests(self) -> None:
        """Ends them, the last one first; nobody joins any more."""
        with suppress(FileNotFoundError), self._guest_list.open() as guests:
            # Who is about to join does so before, or finds that the list is gone.
            fcntl.flock(guests, fcntl.LOCK_EX)
            for guest in reversed(self.guests):
                if not guest.end(signal.SIGTERM, GRACE):
                    guest.end(signal.SIGKILL, GRACE)
            self._guest_list.unlink(missing_ok=True)

    def stop(self) -> None:
        """Asks the run to end, then takes away what is left of it."""
        if not self.owner.end(signal.SIGTERM, OWNER_GRACE):
            self.owner.end(signal.SIGKILL, OWNER_GRACE)
        self.clean_after_owner()

    def clean_after_owner(self) -> None:
        """Cleans if the owner is gone and nobody did so yet; then the prefix may be another run's already.

        Several may come to clean at once: each waits until it has the prefix, or nothing is on record any more.
        """
        while not self.owner.alive and self._on_record is not None:
            try:
                claim = Claim(self.prefix)
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
        """The same run, as it is written down now."""
        return next((state for state in states() if (state.prefix, state.owner) == (self.prefix, self.owner)), None)

    def clean(self) -> None:
        """Ends the processes, deletes the interfaces, and forgets them. Only who has claimed the prefix may."""
        self.end_guests()
        for process in self.processes:
            process.end(signal.SIGKILL, timeout=5.0)
        for name in self.interfaces:
            if (INTERFACES / name).exists():
                # It may go by itself in this moment, with the namespace of its other end.
                subprocess.run(["ip", "link", "delete", name], stderr=subprocess.DEVNULL, check=False)
        # A controller that was killed leaves its sockets: that of the workers, and any beside it.
        for path in (self.path.with_suffix(".sock"), *FOLDER.glob(f"{self.prefix}-*.sock")):
            path.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


def states() -> Iterator[State]:
    """All runs on this machine, those that crashed too. A file that is no record of a run is set aside."""
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
        done = f"cannot set it aside: {reason.strerror}"
    else:
        done = f"it is {aside.name} now"
    print(f"dropzero: {path} is no record of a run ({error}); {done}", file=sys.stderr)


def clean_crashed() -> None:
    """Takes away what is left of runs that died without cleaning up."""
    for state in states():
        state.clean_after_owner()


def unused(name: str = "") -> Claim:
    """A claim of a run's name of which there is nothing on the machine, and nothing on record: that one, or one of
    `dz0`, `dz1`, ...

    Raises:
        SetupError: the name is none, or taken; or there are as many runs as there can be.
    """
    if name and not re.fullmatch(rf"[a-z][a-z0-9]{{0,{MAX_NAME - 1}}}", name):
        raise SetupError(f"a run's name is a letter and up to {MAX_NAME - 1} letters and digits, all small: not {name}")
    for prefix in [name] if name else [f"dz{number}" for number in range(MAX_RUNS)]:
        with suppress(OSError):
            claim = Claim(prefix)
            if not (FOLDER / f"{prefix}.json").exists() and not _interfaces_of(prefix):
                return claim
            claim.release()
    if not name:
        raise SetupError(f"{MAX_RUNS} runs at once are as many as this machine takes; `dropzero stop` ends them")
    if left := _interfaces_of(name):
        raise SetupError(f"there is a run {name}, or something is left of one: {', '.join(left)}; take another name")
    raise SetupError(f"there is a run {name} already; take another name")


def _interfaces_of(prefix: str) -> list[str]:
    """Those in this network namespace that a run of that name makes."""
    named = re.compile(rf"{re.escape(prefix)}(s\d+-eth|p)\d+")
    return sorted(path.name for path in INTERFACES.iterdir() if named.fullmatch(path.name))
