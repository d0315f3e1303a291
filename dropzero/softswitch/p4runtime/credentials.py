"""The TLS credentials of a gRPC server, from PEM files."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from grpc import ServerCredentials

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tls:
    """The options of TLS. A server with an authority lets in only clients whose certificates this has signed, if they
    need one. Raises ValueError if a file is missing."""

    grpc_server_ssl: Annotated[bool, typer.Option("--grpc-server-ssl", help="Serve P4Runtime over TLS.")] = False
    grpc_server_cert: Annotated[Path | None, typer.Option(metavar="PEM", help="The server's certificate.")] = None
    grpc_server_key: Annotated[Path | None, typer.Option(metavar="PEM", help="Its private key.")] = None
    grpc_server_cacert: Annotated[
        Path | None, typer.Option(metavar="PEM", help="The authority that signs clients' certificates.")
    ] = None
    grpc_server_with_client_auth: Annotated[bool, typer.Option("--grpc-server-with-client-auth", hidden=True)] = False

    def __post_init__(self) -> None:
        if not self.grpc_server_ssl:
            return
        if self.grpc_server_cert is None or self.grpc_server_key is None:
            raise ValueError("--grpc-server-ssl needs --grpc-server-cert and --grpc-server-key")
        if self.grpc_server_with_client_auth and self.grpc_server_cacert is None:
            raise ValueError("--grpc-server-with-client-auth needs --grpc-server-cacert")

    def credentials(self) -> ServerCredentials | None:
        """None: without TLS. Raises OSError when a file cannot be read, ValueError when one is not PEM."""
        authority = self.grpc_server_cacert
        if not self.grpc_server_ssl:
            if authority or self.grpc_server_cert or self.grpc_server_key or self.grpc_server_with_client_auth:
                log.warning("Without --grpc-server-ssl there is no TLS, and the certificates are not used")
            return None
        # Imported late: it reads the environment.
        import grpc

        assert self.grpc_server_cert is not None
        assert self.grpc_server_key is not None
        return grpc.ssl_server_credentials(
            [(_pem(self.grpc_server_key), _pem(self.grpc_server_cert))],
            root_certificates=None if authority is None else _pem(authority),
            require_client_auth=self.grpc_server_with_client_auth,
        )


def _pem(file: Path) -> bytes:
    content = file.read_bytes()
    if b"-----BEGIN " not in content:
        raise ValueError(f"{file}: not a PEM file")
    return content
