"""Certificates, over real TLS."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from typer.testing import CliRunner

from dropzero.controller.commands.cli import app
from dropzero.membership import access
from dropzero.membership.access import AccessError, Credentials, Tls, digest, refuse_exposed
from dropzero.membership.channel import channel
from dropzero.membership.client import Membership, MembershipError
from dropzero.membership.membership_pb2 import EvictRequest
from dropzero.membership.membership_pb2_grpc import OperatorStub
from dropzero.membership.operator_client import Operator, OperatorError
from tests.conftest import free_port
from tests.support.controller import running
from tests.support.ordinary_user import needs_users

CONTROLLER = ("-c", "from dropzero.controller.commands.cli import app; app()")
RACK = {
    "hosts": {"h1": {"ip": "10.0.0.1/24", "mac": "08:00:00:00:01:11"}},
    "switches": {"s1": {}},
    "links": [["h1", "s1-p1"]],
}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two CAs, `ours` and `theirs`, and a certificate from each."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl on PATH to make certificates with")
    folder = tmp_path_factory.mktemp("certificates")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")

    def run(*arguments: str) -> None:
        subprocess.run([openssl, *arguments], cwd=folder, check=True, capture_output=True)

    new = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    for name in ("ours", "theirs"):
        run(*new, "-x509", "-days", "2", "-subj", f"/CN={name}", "-keyout", f"{name}-ca.key", "-out", f"{name}-ca.pem")
        run(*new, "-subj", "/CN=localhost", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        signing = ["-CA", f"{name}-ca.pem", "-CAkey", f"{name}-ca.key", "-CAcreateserial", "-extfile", "names"]
        run("x509", "-req", "-in", f"{name}.csr", "-days", "2", *signing, "-out", f"{name}.pem")
    return folder


def tls(folder: Path, name: str, ca: str) -> Tls:
    return Tls(folder / f"{name}.pem", folder / f"{name}.key", folder / f"{ca}-ca.pem")


@pytest.mark.parametrize("where", ["127.0.0.1:0", "unix:{folder}/tls.sock"])
def test_clients_with_a_certificate_of_the_authority_are_let_in(authority: Path, where: str) -> None:
    ours = tls(authority, "ours", "ours")
    with running(where.format(folder=authority), tls=ours) as controller:
        with Membership(controller.address, tls=ours) as member:
            assert controller.joining(member, 1, size=1).result(600).rank == 0
        for stranger in (None, tls(authority, "theirs", "ours"), tls(authority, "theirs", "theirs")):
            with pytest.raises(MembershipError, match="no controller answers at"):
                Membership(controller.address, tls=stranger, timeout=1)


def test_operators_have_a_socket_that_only_its_owner_can_open(tmp_path: Path) -> None:
    with running(f"unix:{tmp_path}/dz0.sock") as controller, Membership(controller.address) as member:
        controller.joining(member, 1, size=1).result(600)
        own = tmp_path / "dz0-operator.sock"
        assert own.is_socket()
        assert own.stat().st_mode & 0o777 == 0o600
        with Operator(controller.address) as operator:
            assert [job.job for job in operator.jobs()] == [1]
        with channel(controller.address, None) as members_only, pytest.raises(grpc.RpcError) as refused:
            OperatorStub(members_only).Evict(EvictRequest(job=1, rank=0), timeout=20)
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
        assert member.place.members == (0,)
    assert not own.exists()


def test_over_tcp_operators_need_their_token(authority: Path) -> None:
    ours = tls(authority, "ours", "ours")
    with running("127.0.0.1:0", tls=ours, token="secret") as controller:
        for token in ("", "guess"):
            with (
                Operator(controller.address, credentials=Credentials(ours, token)) as operator,
                pytest.raises(OperatorError, match="wrong operator token: give the right one with --operator-token"),
            ):
                operator.evict(1, 0)
        with Operator(controller.address, credentials=Credentials(ours, "secret")) as operator:
            assert operator.jobs() == []
    with (
        running("127.0.0.1:0") as controller,
        Operator(controller.address) as operator,
        pytest.raises(OperatorError, match="over TCP, operators need a token: start the controller with --operator-"),
    ):
        next(operator.watch())


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775, 0o757])
def test_sockets_are_neither_created_nor_trusted_where_others_may_write(tmp_path: Path, mode: int) -> None:
    address = f"unix:{tmp_path}/shared/c.sock"
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(AccessError, match=f"other users may write to {folder}"), running(address):
        pass
    with pytest.raises(MembershipError, match=f"other users may write to {folder}"):
        Membership(address)


@needs_users
def test_no_socket_is_created_in_another_users_folder(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 0)
    with pytest.raises(AccessError, match=f"{tmp_path} belongs to another user"), running(f"unix:{tmp_path}/c.sock"):
        pass


def test_only_its_owner_can_write_to_the_default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "FOLDER", tmp_path / "made" / "here")
    with running(f"unix:{access.FOLDER}/c.sock"):
        assert access.FOLDER.stat().st_mode & 0o022 == 0


def test_incomplete_or_unreadable_certificates_are_refused(tmp_path: Path) -> None:
    assert Tls.given(None, None, None) is None
    with pytest.raises(AccessError, match="TLS needs three files: --tls-cert, --tls-key and --tls-ca"):
        Tls.given(tmp_path, None, tmp_path)
    missing = tmp_path / "missing.pem"
    with pytest.raises(MembershipError, match=f"cannot read {missing}: No such file or directory"):
        Membership("127.0.0.1:1", tls=Tls(missing, missing, missing))
    (tmp_path / "empty.pem").touch()
    empty = tmp_path / "empty.pem"
    with pytest.raises(AccessError, match=r"empty.pem is not a PEM file"):
        Tls(empty, empty, empty).server()


@pytest.mark.parametrize("listen", ["unix:/tmp/x", "127.0.0.1:1", "localhost:1", "[::1]:1", "127.8.8.8:1"])
def test_local_addresses_need_no_certificates(listen: str) -> None:
    refuse_exposed(listen, None)


@pytest.mark.parametrize("listen", ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.org:1"])
def test_other_addresses_need_certificates(listen: str, tmp_path: Path) -> None:
    with pytest.raises(AccessError, match="other machines can reach"):
        refuse_exposed(listen, None)
    refuse_exposed(listen, Tls(tmp_path, tmp_path, tmp_path))


def test_tokens_are_stored_as_digests() -> None:
    assert digest("") == b""
    assert digest("secret") != digest("Secret")
    assert b"secret" not in digest("secret")


def test_the_controller_reaches_a_switch_that_serves_over_tls(authority: Path, tmp_path: Path) -> None:
    (tmp_path / "topology.json").write_text(json.dumps(RACK))
    pems = {name: str(authority / f"ours.{ending}") for name, ending in (("cert", "pem"), ("key", "key"))}
    pems["ca"] = str(authority / "ours-ca.pem")
    served = ["--grpc-server-ssl", "--grpc-server-cert", pems["cert"], "--grpc-server-key", pems["key"]]
    served += ["--grpc-server-cacert", pems["ca"], "--grpc-server-with-client-auth"]
    shown = [word for name, path in pems.items() for word in (f"--switch-tls-{name}", path)]
    address = f"127.0.0.1:{free_port()}"
    listen = f"unix:{tmp_path}/c.sock"
    with process(
        "-m", "dropzero.softswitch", "--no-p4", "--", "--grpc-server-addr", address, *served, until="Server listening"
    ):
        serve = ["serve", "--topology", str(tmp_path / "topology.json"), "--switch", address, "--listen", listen]
        with process(*CONTROLLER, *shown, *serve, until="ready"), Membership(listen) as member:
            place = member.join(job=1, size=1, ip="10.0.0.1", udp_port=40001)
            command = [*shown, "jobs", "--switch", address, "--json"]
            (job,) = json.loads(CliRunner().invoke(app, command).stdout)
            assert job["epoch"] == place.epoch
            stranger = CliRunner().invoke(app, ["jobs", "--switch", address])
            assert stranger.stderr == f"dropzero controller: no switch answers at {address}: is it running?\n"
    wrong = CliRunner().invoke(app, ["--switch-tls-ca", "x", "jobs"])
    files = "--switch-tls-cert, --switch-tls-key and --switch-tls-ca"
    assert (wrong.exit_code, wrong.stderr) == (2, f"dropzero controller: TLS needs three files: {files}\n")


@contextmanager
def process(*arguments: str, until: str) -> Iterator[None]:
    """Runs Python with these arguments, and waits for the output `until`."""
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            assert any(line.startswith(until) for line in running.stdout)
            yield
        finally:
            running.kill()
