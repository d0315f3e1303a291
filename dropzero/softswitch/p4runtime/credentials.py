"""The TLS credentials of a gRPC server, from PEM files."""

from __future__ import annotations

from pathlib import Path

import grpc


def credentials(certificate: Path, key: Path, authority: Path | None, with_client_auth: bool) -> grpc.ServerCredentials:
    """authority: the CA certificate that must have signed clients' certificates, if clients need one.

    Raises OSError when a file cannot be read, ValueError when one is not PEM, or the authority is missing.
    """
    if with_client_auth and authority is None:
        raise ValueError("--grpc-server-with-client-auth needs --grpc-server-cacert")
    files = [certificate, key] if authority is None else [certificate, key, authority]
    contents = [file.read_bytes() for file in files]
    for file, content in zip(files, contents, strict=True):
        if b"-----BEGIN " not in content:
            raise ValueError(f"{file}: not a PEM file")
    return grpc.ssl_server_credentials(
        [(contents[1], contents[0])],
        root_certificates=contents[2] if authority is not None else None,
        require_client_auth=with_client_auth,
    )
