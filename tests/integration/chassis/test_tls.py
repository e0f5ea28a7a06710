"""TLS: server certificates, client certificates, and new files while serving."""

import subprocess
from dataclasses import replace

import grpc
import pytest

pytestmark = pytest.mark.integration


def make_certificate(folder, name: str) -> None:
    subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
            ),
            *("-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem"),
            *("-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"),
        ],
        check=True,
        capture_output=True,
    )


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("server", "other", "client"):
        make_certificate(folder, name)
    return folder


async def say(echo, trusted: bytes, key: bytes | None = None, chain: bytes | None = None) -> str:
    credentials = grpc.ssl_channel_credentials(trusted, key, chain)
    async with grpc.aio.secure_channel(echo.addresses["address"], credentials) as channel:
        other = replace(echo, channel=channel)
        return (await other.one("say x", timeout=10)).value


def tls_options(folder) -> tuple[str, ...]:
    return ("--tls-cert", str(folder / "server.pem"), "--tls-key", str(folder / "server.key"))


async def test_service_speaks_tls_and_nothing_else(start, certificates):
    async with start(*tls_options(certificates), "--health-listen", "127.0.0.1:0", tls=True) as echo:
        assert await say(echo, (certificates / "server.pem").read_bytes()) == "x"
        with pytest.raises(grpc.aio.AioRpcError):
            await say(echo, (certificates / "other.pem").read_bytes())
        with pytest.raises(grpc.aio.AioRpcError):
            await echo.one("say x", timeout=5)


async def test_client_without_certificate_is_refused_where_one_is_asked_for(start, certificates):
    ca = ("--tls-client-ca", str(certificates / "client.pem"))
    async with start(*tls_options(certificates), *ca, "--health-listen", "127.0.0.1:0", tls=True) as echo:
        trusted = (certificates / "server.pem").read_bytes()
        with pytest.raises(grpc.aio.AioRpcError):
            await say(echo, trusted)
        key, chain = (certificates / "client.key").read_bytes(), (certificates / "client.pem").read_bytes()
        assert await say(echo, trusted, key, chain) == "x"


async def test_new_certificate_is_served_without_a_restart(start, certificates, tmp_path):
    for suffix in ("pem", "key"):
        (tmp_path / f"server.{suffix}").write_bytes((certificates / f"server.{suffix}").read_bytes())
    async with start(*tls_options(tmp_path), "--health-listen", "127.0.0.1:0", tls=True) as echo:
        assert await say(echo, (certificates / "server.pem").read_bytes()) == "x"
        (tmp_path / "server.pem").write_bytes((certificates / "other.pem").read_bytes())
        assert (
            await say(echo, (certificates / "server.pem").read_bytes()) == "x"
        )  # the pair does not match yet
        (tmp_path / "server.key").write_bytes((certificates / "other.key").read_bytes())
        assert await say(echo, (certificates / "other.pem").read_bytes()) == "x"
        with pytest.raises(grpc.aio.AioRpcError):
            await say(echo, (certificates / "server.pem").read_bytes())


async def test_pair_that_cannot_be_used_is_named_at_start(command, certificates):
    code, _, error = await command(
        *("serve", "--listen", "127.0.0.1:0", "--log-level", "error"),
        *("--tls-cert", str(certificates / "server.pem"), "--tls-key", str(certificates / "other.key")),
    )
    assert code == 1
    assert error.count("\n") == 1
    assert "--tls-cert" in error
