"""Calls over TLS, with the certificates that the settings name."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import grpc
import grpc.aio
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceServicer, add_RenderServiceServicer_to_server
from i2s_client import AsyncRenderClient, RetryPolicy
from i2s_client.credentials import tls_credentials
from i2s_sdk.errors import ServiceUnavailableError

pytestmark = pytest.mark.integration

#: One attempt, which may take long on a busy machine: a pause is longer than all attempts together may take.
ONE_ATTEMPT = RetryPolicy(total_seconds=60.0, first_pause=600.0, longest_pause=600.0)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("server", "client", "stranger"):
        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        files = ("-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem")
        subject = ("-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1")
        subprocess.run(["openssl", "req", "-x509", *curve, *files, *subject], check=True, capture_output=True)
    return folder


class Renderer(RenderServiceServicer):
    def __init__(self) -> None:
        self.begun, self.go = asyncio.Event(), asyncio.Event()

    async def Render(self, request: pb.RenderRequest, context: grpc.aio.ServicerContext) -> pb.RenderResponse:  # noqa: N802
        if request.latex.document == b"held":
            self.begun.set()
            await self.go.wait()
        return pb.RenderResponse(verdict=pb.VERDICT_NO_OUTPUT, message="over TLS")


@pytest.fixture
async def renderer() -> Renderer:
    return Renderer()


@pytest.fixture
async def address(certificates: Path, renderer: Renderer):
    pair = (certificates / "server.key").read_bytes(), (certificates / "server.pem").read_bytes()
    trusted = (certificates / "client.pem").read_bytes()
    server = grpc.aio.server()
    add_RenderServiceServicer_to_server(renderer, server)
    credentials = grpc.ssl_server_credentials([pair], trusted, require_client_auth=True)
    port = server.add_secure_port("127.0.0.1:0", credentials)
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(None)


async def said(address: str, credentials: grpc.ChannelCredentials | None) -> str:
    async with AsyncRenderClient(address, retry=ONE_ATTEMPT, credentials=credentials) as client:
        return (await client.render_latex("x")).message


async def test_both_sides_are_checked(address: str, certificates: Path) -> None:
    ours = certificates / "client.pem", certificates / "client.key"
    assert await said(address, tls_credentials(certificates / "server.pem", *ours)) == "over TLS"
    for credentials in (
        None,
        tls_credentials(certificates / "server.pem"),
        tls_credentials(certificates / "stranger.pem", *ours),
    ):
        with pytest.raises(ServiceUnavailableError):
            await said(address, credentials)


def credentials_of(certificates: Path, name: str) -> grpc.ChannelCredentials | None:
    pair = certificates / f"{name}.pem", certificates / f"{name}.key"
    return tls_credentials(certificates / "server.pem", *pair)


async def test_renewed_credentials_are_those_of_later_calls(
    address: str, certificates: Path, renderer: Renderer
) -> None:
    ours, strangers = (credentials_of(certificates, name) for name in ("client", "stranger"))
    assert strangers is not None
    async with AsyncRenderClient(address, retry=ONE_ATTEMPT, credentials=ours) as client:
        under_way = asyncio.create_task(client.render_latex("held"))
        await renderer.begun.wait()
        client.renew(strangers)
        with pytest.raises(ServiceUnavailableError):
            await client.render_latex("x")
        renderer.go.set()
        assert (await under_way).message == "over TLS"
