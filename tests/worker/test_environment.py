"""`connect` reads arguments that are not given from the environment, where `dropzero launch` and torchrun set them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dropzero.membership.access import Tls
from dropzero.worker import environment
from dropzero.worker.communicator import connect
from tests.support.loopback import at_once, loopback

LAUNCHED = {
    "DROPZERO_CONTROLLER": "unix:/a.sock",
    "DROPZERO_JOB": "7",
    "DROPZERO_SIZE": "4",
    "DROPZERO_RANK": "2",
}


@pytest.fixture(autouse=True)
def launched(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LAUNCHED.items():
        monkeypatch.setenv(name, value)


def test_missing_arguments_are_read_from_the_environment() -> None:
    assert environment.rendezvous(None, None, None, None) == ("unix:/a.sock", 7, 4, 2)


def test_given_arguments_take_precedence() -> None:
    assert environment.rendezvous("unix:/b.sock", 0, 3, 1) == ("unix:/b.sock", 0, 3, 1)
    assert environment.rendezvous(None, 0, None, 0) == ("unix:/a.sock", 0, 4, 0)


def test_rings_are_a_folder_and_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment.rings() is None
    monkeypatch.setenv("DROPZERO_RINGS", "/run/dropzero/dz0-s1.rings:3")
    assert environment.rings() == (Path("/run/dropzero/dz0-s1.rings"), 3)
    for nonsense in ("3", ":3", "/run/a", "/run/a:", "/run/a:b"):
        monkeypatch.setenv("DROPZERO_RINGS", nonsense)
        with pytest.raises(ValueError, match=r"DROPZERO_RINGS in the environment must be FOLDER:PORT"):
            environment.rings()


def test_a_rank_is_read_only_together_with_a_size() -> None:
    assert environment.rendezvous(None, None, 2, None).rank is None


def test_size_and_rank_fall_back_to_torchruns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "9")
    monkeypatch.setenv("RANK", "8")
    assert environment.rendezvous(None, None, None, None) == ("unix:/a.sock", 7, 4, 2)
    monkeypatch.delenv("DROPZERO_SIZE")
    monkeypatch.delenv("DROPZERO_RANK")
    assert environment.rendezvous(None, None, None, None) == ("unix:/a.sock", 7, 9, 8)


@pytest.mark.parametrize("absent", ["DROPZERO_CONTROLLER", "DROPZERO_JOB", "DROPZERO_SIZE"])
def test_the_error_names_arguments_that_are_missing(absent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(absent, "")
    with pytest.raises(ValueError, match=rf"pass them, or start .* `dropzero launch`.*; not set: {absent}$"):
        connect()


def test_a_variable_that_is_not_a_number_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DROPZERO_RANK", "-1")
    with pytest.raises(ValueError, match=r"^DROPZERO_RANK in the environment must be a number, 0 or larger, not '-1'$"):
        connect()


def test_certificates_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment.tls() is None
    monkeypatch.setenv("DROPZERO_TLS_CERT", "cert.pem")
    with pytest.raises(ValueError, match=r"^TLS needs three files: DROPZERO_TLS_CERT, DROPZERO_TLS_KEY, DROPZERO_\w+$"):
        environment.tls()
    monkeypatch.setenv("DROPZERO_TLS_KEY", "key.pem")
    monkeypatch.setenv("DROPZERO_TLS_CA", "ca.pem")
    assert environment.tls() == Tls(Path("cert.pem"), Path("key.pem"), Path("ca.pem"))


def test_workers_join_without_an_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def total() -> int:
        with connect() as network:
            return int(network.all_reduce(np.ones(1, np.int32))[0])

    with loopback(tmp_path) as controller:
        for name, value in {"CONTROLLER": controller, "SIZE": "2", "RANK": "", "IP": "127.0.0.1"}.items():
            monkeypatch.setenv(f"DROPZERO_{name}", value)
        assert at_once(total, total) == [2, 2]
