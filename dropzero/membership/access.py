"""Access to the controller: addresses, TLS certificates and tokens."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import grpc


def _folder() -> Path:
    """The default folder of sockets: only its owner can create one there."""
    if os.geteuid() == 0:
        return Path("/run/dropzero")
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime, "dropzero") if runtime else Path(os.path.expanduser("~"), ".dropzero")


FOLDER = _folder()
DEFAULT_CONTROLLER = f"unix:{FOLDER}/controller.sock"
CONTROLLER_VARIABLE = "DROPZERO_CONTROLLER"

OPERATOR_TOKEN = "dropzero-operator-token"
"""The key of the operators' token in a call's metadata."""


class AccessError(Exception):
    """It is not safe to listen at an address, or a certificate cannot be read."""


@dataclass(frozen=True)
class Tls:
    """PEM files: this side's certificate and key, and the certificate authority of the other side."""

    cert: Path
    key: Path
    ca: Path

    @classmethod
    def given(cls, cert: Path | None, key: Path | None, ca: Path | None, option: str = "--tls") -> Tls | None:
        """Creates it from the values of three options whose names begin with `option`. Returns None if none is given.
        Raises AccessError if only some are."""
        if cert is None and key is None and ca is None:
            return None
        if cert is None or key is None or ca is None:
            raise AccessError(f"TLS needs three files: {option}-cert, {option}-key and {option}-ca")
        return cls(cert, key, ca)

    def server(self) -> Any:
        """gRPC credentials for a server that requires certificates of its clients. Raises AccessError."""
        pair = (_pem(self.key), _pem(self.cert))
        return grpc.ssl_server_credentials([pair], root_certificates=_pem(self.ca), require_client_auth=True)

    def client(self) -> Any:
        """gRPC credentials for a client. Raises AccessError."""
        return grpc.ssl_channel_credentials(_pem(self.ca), _pem(self.key), _pem(self.cert))


@dataclass(frozen=True)
class Credentials:
    """The credentials that one side presents.

    Attributes:
        tls: for connections between the controller and its workers and operators; None: no TLS.
        operator_token: the secret that operators must send over TCP; empty: none.
        switch_tls: for the controller's connections to the switches' P4Runtime servers; None: no TLS.
    """

    tls: Tls | None = None
    operator_token: str = ""
    switch_tls: Tls | None = None


def _pem(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise AccessError(f"cannot read {path}: {error.strerror}") from error
    if b"-----BEGIN " not in content:
        raise AccessError(f"{path} is not a PEM file")
    return content


def socket_of(address: str) -> Path | None:
    """The path of `unix:/path`; None for `host:port`."""
    return Path(address.removeprefix("unix:").removeprefix("//")) if address.startswith("unix:") else None


def operator_address(controller: str) -> str:
    """The address at which a controller serves operators: a second socket next to its own, or the same TCP port."""
    socket = socket_of(controller)
    return controller if socket is None else f"unix:{socket.with_name(f'{socket.stem}-operator{socket.suffix}')}"


def refuse_shared(socket: Path) -> None:
    """Raises AccessError if other users may write to the socket's folder: they could create the socket first, even if
    the folder is sticky."""
    if socket.parent.stat().st_mode & 0o022:
        raise AccessError(
            f"other users may write to {socket.parent}: use a folder of your own, as in unix:{FOLDER}/{socket.name}"
        )


def keep_to_self(socket: Path) -> None:
    """Prepares to listen at a socket: creates its folder if it is the default one. Raises AccessError unless only this
    user or root can write to the folder."""
    folder = socket.parent
    try:
        if folder == FOLDER:
            folder.mkdir(mode=0o755 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
        owner = folder.stat().st_uid
    except OSError as error:
        raise AccessError(f"cannot listen on {socket}: {folder}: {error.strerror}") from error
    # First, since it says what to do: in a user's namespace, /tmp belongs to nobody.
    refuse_shared(socket)
    if owner not in (0, os.geteuid()):
        raise AccessError(f"cannot listen on {socket}: {folder} belongs to another user")


def refuse_exposed(listen: str, tls: Tls | None) -> None:
    """Raises AccessError if other machines could reach the controller without TLS."""
    if listen.startswith("unix:") or tls is not None:
        return
    host = listen.rpartition(":")[0].strip("[]")
    try:
        inside = ip_address(host).is_loopback
    except ValueError:
        inside = host == "localhost"
    if not inside:
        raise AccessError(f"other machines can reach {listen}: also give --tls-cert, --tls-key and --tls-ca")


def digest(token: str) -> bytes:
    """The SHA-256 digest of a job's token; empty if there is no token."""
    return hashlib.sha256(token.encode()).digest() if token else b""
