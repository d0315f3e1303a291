"""Who may speak with the controller: at which address, with which certificates, and with which token."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import grpc


def _folder() -> Path:
    """Where sockets are by default: nobody but their owner can put another one there."""
    if os.geteuid() == 0:
        return Path("/run/dropzero")
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime, "dropzero") if runtime else Path(os.path.expanduser("~"), ".dropzero")


FOLDER = _folder()
DEFAULT_CONTROLLER = f"unix:{FOLDER}/controller.sock"

OPERATOR_TOKEN = "dropzero-operator-token"
"""In a call's metadata."""


class AccessError(Exception):
    """An address that nobody is to listen on, or a certificate that cannot be read."""


@dataclass(frozen=True)
class Tls:
    """PEM files: the own certificate and key, and that of the authority that signed the other side's."""

    cert: Path
    key: Path
    ca: Path

    @classmethod
    def given(cls, cert: Path | None, key: Path | None, ca: Path | None, option: str = "--tls") -> Tls | None:
        """None without any of the three. Raises AccessError unless it is all or none; `option`: how theirs begin."""
        if cert is None and key is None and ca is None:
            return None
        if cert is None or key is None or ca is None:
            raise AccessError(f"TLS takes three files: {option}-cert, {option}-key and {option}-ca")
        return cls(cert, key, ca)

    def server(self) -> Any:
        """For a server whose clients must show a certificate. Raises AccessError."""
        pair = (_pem(self.key), _pem(self.cert))
        return grpc.ssl_server_credentials([pair], root_certificates=_pem(self.ca), require_client_auth=True)

    def client(self) -> Any:
        """Raises AccessError."""
        return grpc.ssl_channel_credentials(_pem(self.ca), _pem(self.key), _pem(self.cert))


@dataclass(frozen=True)
class Credentials:
    """What one side has to show.

    Attributes:
        tls: between the controller and those who speak with it; None for none.
        operator_token: what makes an operator over TCP; empty for nothing.
        switch_tls: towards the switches' P4Runtime servers; None for none.
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
        raise AccessError(f"{path} is no PEM file")
    return content


def channel(controller: str, tls: Tls | None) -> grpc.Channel:
    """To a controller, at `unix:/path` or `host:port`. Raises AccessError."""
    socket = socket_of(controller)
    if socket is not None and os.path.isdir(socket.parent):
        refuse_shared(socket)
    options: list[tuple[str, str | int]] = [
        ("grpc.enable_http_proxy", 0),
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 1000),
    ]
    if tls is None:
        return grpc.insecure_channel(controller, options)
    if controller.startswith("unix:"):
        # A path is no name that a certificate could have.
        options.append(("grpc.ssl_target_name_override", "localhost"))
    return grpc.secure_channel(controller, tls.client(), options)


def socket_of(address: str) -> Path | None:
    """The file of `unix:/path`; None for `host:port`."""
    return Path(address.removeprefix("unix:").removeprefix("//")) if address.startswith("unix:") else None


def operator_address(controller: str) -> str:
    """Where a controller that listens at an address listens to operators: beside its socket, or at the same port."""
    socket = socket_of(controller)
    return controller if socket is None else f"unix:{socket.with_name(f'{socket.stem}-operator{socket.suffix}')}"


def refuse_shared(socket: Path) -> None:
    """A user who may write to a folder could put a socket there before its owner does, even if the folder is sticky.
    Raises AccessError."""
    if socket.parent.stat().st_mode & 0o022:
        raise AccessError(
            f"others may write to {socket.parent}: take a folder that is yours alone, as in unix:{FOLDER}/{socket.name}"
        )


def keep_to_self(socket: Path) -> None:
    """To be called before one listens at a socket: makes the default folder, and refuses one that is not this user's or
    root's alone. Raises AccessError."""
    folder = socket.parent
    try:
        if folder == FOLDER:
            folder.mkdir(mode=0o755 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
        owner = folder.stat().st_uid
    except OSError as error:
        raise AccessError(f"cannot listen on {socket}: {folder}: {error.strerror}") from error
    if owner not in (0, os.geteuid()):
        raise AccessError(f"cannot listen on {socket}: {folder} is another user's")
    refuse_shared(socket)


def refuse_exposed(listen: str, tls: Tls | None) -> None:
    """Without TLS only this machine may reach the controller. Raises AccessError."""
    if listen.startswith("unix:") or tls is not None:
        return
    host = listen.rpartition(":")[0].strip("[]")
    try:
        inside = ip_address(host).is_loopback
    except ValueError:
        inside = host == "localhost"
    if not inside:
        raise AccessError(f"{listen} can be reached from other machines: give --tls-cert, --tls-key and --tls-ca too")


def digest(token: str) -> bytes:
    """Of a job's token; empty for none."""
    return hashlib.sha256(token.encode()).digest() if token else b""
