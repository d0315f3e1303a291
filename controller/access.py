"""Who may speak with the controller: at which address, with which certificates, and with a job's token."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import grpc

DEFAULT_CONTROLLER = "unix:/tmp/dropzero-controller.sock"


class AccessError(Exception):
    """An address that nobody is to listen on, or a certificate that cannot be read."""


@dataclass(frozen=True)
class Tls:
    """PEM files: the own certificate and key, and that of the authority that signed the other side's."""

    cert: Path
    key: Path
    ca: Path

    @classmethod
    def given(cls, cert: Path | None, key: Path | None, ca: Path | None) -> Tls | None:
        """None without any of the three. Raises AccessError unless it is all or none."""
        if cert is None and key is None and ca is None:
            return None
        if cert is None or key is None or ca is None:
            raise AccessError("TLS takes three files: --tls-cert, --tls-key and --tls-ca")
        return cls(cert, key, ca)

    def server(self) -> Any:
        """For a server whose clients must show a certificate. Raises AccessError."""
        pair = (_pem(self.key), _pem(self.cert))
        return grpc.ssl_server_credentials([pair], root_certificates=_pem(self.ca), require_client_auth=True)

    def client(self) -> Any:
        """Raises AccessError."""
        return grpc.ssl_channel_credentials(_pem(self.ca), _pem(self.key), _pem(self.cert))


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
