"""Certificates, over real TLS."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from controller.access import AccessError, Tls, digest, refuse_exposed
from controller.client import Membership, MembershipError
from tests.controller.rack import running


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two authorities, `ours` and `theirs`, and a certificate of each."""
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
def test_who_shows_a_certificate_of_the_authority_is_let_in(authority: Path, where: str) -> None:
    ours = tls(authority, "ours", "ours")
    with running(where.format(folder=authority), tls=ours) as controller:
        with Membership(controller.address, tls=ours) as member:
            assert controller.joining(member, 1, size=1).result(20).rank == 0
        for stranger in (None, tls(authority, "theirs", "ours"), tls(authority, "theirs", "theirs")):
            with pytest.raises(MembershipError, match="no controller answers at"):
                Membership(controller.address, tls=stranger, timeout=1)


def test_certificates_are_given_in_full_and_can_be_read(tmp_path: Path) -> None:
    assert Tls.given(None, None, None) is None
    with pytest.raises(AccessError, match="TLS takes three files: --tls-cert, --tls-key and --tls-ca"):
        Tls.given(tmp_path, None, tmp_path)
    missing = tmp_path / "missing.pem"
    with pytest.raises(MembershipError, match=f"cannot read {missing}: No such file or directory"):
        Membership("127.0.0.1:1", tls=Tls(missing, missing, missing))
    (tmp_path / "empty.pem").touch()
    empty = tmp_path / "empty.pem"
    with pytest.raises(AccessError, match=r"empty.pem is no PEM file"):
        Tls(empty, empty, empty).server()


@pytest.mark.parametrize("listen", ["unix:/tmp/x", "127.0.0.1:1", "localhost:1", "[::1]:1", "127.8.8.8:1"])
def test_this_machine_needs_no_certificates(listen: str) -> None:
    refuse_exposed(listen, None)


@pytest.mark.parametrize("listen", ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.org:1"])
def test_others_do(listen: str, tmp_path: Path) -> None:
    with pytest.raises(AccessError, match="can be reached from other machines"):
        refuse_exposed(listen, None)
    refuse_exposed(listen, Tls(tmp_path, tmp_path, tmp_path))


def test_tokens_are_kept_as_digests() -> None:
    assert digest("") == b""
    assert digest("secret") != digest("Secret")
    assert b"secret" not in digest("secret")
