"""P4Runtime over TLS, with simple_switch_grpc's options for it."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from dropzero.p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc

SECONDS = 600
SOFTSWITCH = (sys.executable, "-m", "dropzero.softswitch", "--no-p4", "--")


@pytest.fixture(scope="module")
def pems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a CA, and a server's and a client's certificate signed by it."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    directory = tmp_path_factory.mktemp("pems")

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca")
    (directory / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for name in ("server", "client"):
        openssl(
            "req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", "/CN=it"
        )
        openssl(
            "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-extfile", "names", "-out", f"{name}.pem",
        )  # fmt: skip
    return directory


@contextmanager
def switch(*options: str) -> Iterator[str]:
    """Runs a switch. Yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [*SOFTSWITCH, "--grpc-server-addr", address, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == f"Server listening on {address}\n"
            yield address
        finally:
            process.kill()


def version(channel: grpc.Channel) -> str:
    with channel:
        stub = p4runtime_pb2_grpc.P4RuntimeStub(channel)
        return str(stub.Capabilities(p4runtime_pb2.CapabilitiesRequest(), timeout=SECONDS).p4runtime_api_version)


def served(pems: Path) -> tuple[str, ...]:
    return ("--grpc-server-ssl", "--grpc-server-cert", f"{pems}/server.pem", "--grpc-server-key", f"{pems}/server.key")


def test_a_client_verifies_the_server(pems: Path) -> None:
    with switch(*served(pems)) as address:
        trusting = grpc.ssl_channel_credentials((pems / "ca.pem").read_bytes())
        assert version(grpc.secure_channel(address, trusting)) == "1.4.1"
        with pytest.raises(grpc.RpcError):
            version(grpc.insecure_channel(address))


def test_the_server_verifies_its_clients(pems: Path) -> None:
    with switch(*served(pems), "--grpc-server-cacert", f"{pems}/ca.pem", "--grpc-server-with-client-auth") as address:
        authority, key, certificate = ((pems / name).read_bytes() for name in ("ca.pem", "client.key", "client.pem"))
        known = grpc.ssl_channel_credentials(authority, key, certificate)
        assert version(grpc.secure_channel(address, known)) == "1.4.1"
        with pytest.raises(grpc.RpcError):
            version(grpc.secure_channel(address, grpc.ssl_channel_credentials(authority)))


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--grpc-server-ssl",), "softswitch: --grpc-server-ssl needs --grpc-server-cert and --grpc-server-key"),
        (
            ("--grpc-server-ssl", "--grpc-server-cert", "/nowhere", "--grpc-server-key", "/nowhere"),
            "softswitch: /nowhere: No such file or directory",
        ),
        (
            ("--grpc-server-ssl", "--grpc-server-cert", __file__, "--grpc-server-key", __file__),
            f"softswitch: {__file__}: not a PEM file",
        ),
        (
            (
                "--grpc-server-ssl", "--grpc-server-cert", __file__, "--grpc-server-key", __file__,
                "--grpc-server-with-client-auth",
            ),
            "softswitch: --grpc-server-with-client-auth needs --grpc-server-cacert",
        ),
    ],
)  # fmt: skip
def test_wrong_options_are_reported_in_one_line(options: tuple[str, ...], line: str) -> None:
    ended = subprocess.run([*SOFTSWITCH, *options], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (ended.returncode, ended.stderr.splitlines()) == (2, [line])
