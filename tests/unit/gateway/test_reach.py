"""A gateway that others can reach: what it asks for first."""

import socket
import ssl
import subprocess

import grpc
import httpx
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_sdk.errors import SettingsError
from served_gateway import echo, renderer, served

EVERYWHERE = "0.0.0.0:0"


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """The options for a certificate of this machine."""
    folder = tmp_path_factory.mktemp("https")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    name = ("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost")
    subprocess.run(
        ["openssl", "req", "-x509", *curve, *name, "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    return {"certificate": certificate, "key": key}


async def guarded(request, context):
    """Answer those alone who bring the token."""
    if ("authorization", "Bearer good") not in context.invocation_metadata():
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, "no token")
    return pb.RenderResponse(message="in")


async def listing_certificates(request, context):
    """Answer those who bring the token, and refuse the certificate of the gateway."""
    if ("authorization", "Bearer good") not in context.invocation_metadata():
        await context.abort(grpc.StatusCode.PERMISSION_DENIED, "not listed")
    return pb.RenderResponse(message="in")


async def test_services_that_ask_for_no_token_are_not_opened_to_others(pair):
    async with renderer(echo) as address:
        with pytest.raises(SettingsError, match="render-latex"):
            async with served({"render-latex": address}, listen=EVERYWHERE, **pair):
                pass


@pytest.mark.parametrize(("answer", "status"), [(guarded, 200), (listing_certificates, 200), (echo, 502)])
async def test_a_service_that_comes_later_is_asked_before_its_first_call(pair, answer, status):
    with socket.create_server(("127.0.0.1", 0)) as held:
        address = f"127.0.0.1:{held.getsockname()[1]}"
    async with served({"render-latex": address}, listen=EVERYWHERE, **pair) as url:
        base = f"https://127.0.0.1:{httpx.URL(url).port}"
        trusted = ssl.create_default_context(cafile=pair["certificate"])
        async with httpx.AsyncClient(base_url=base, verify=trusted, timeout=60) as client:
            assert (await client.get("/v1/live")).status_code == 200
            async with renderer(answer, address):
                body = {"latex": {"document_text": "x"}}
                got = await client.post("/v1/render", json=body, headers={"Authorization": "Bearer good"})
    assert got.status_code == status


async def test_in_so_many_words_it_listens():
    async with (
        renderer(echo) as address,
        served({"render-latex": address}, listen=EVERYWHERE, insecure=True) as url,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{httpx.URL(url).port}") as client,
    ):
        assert (await client.get("/v1/health")).status_code == 200


async def test_https_in_front_of_a_service_with_tokens_serves_those_who_have_one(pair):
    body = {"latex": {"document_text": "x"}}
    async with (
        renderer(guarded) as address,
        served({"render-latex": address}, listen=EVERYWHERE, **pair) as url,
    ):
        base = f"https://127.0.0.1:{httpx.URL(url).port}"
        trusted = ssl.create_default_context(cafile=pair["certificate"])
        async with httpx.AsyncClient(base_url=base, verify=trusted) as client:
            stranger = await client.post("/v1/render", json=body)
            assert (stranger.status_code, stranger.headers["WWW-Authenticate"]) == (401, "Bearer")
            known = await client.post("/v1/render", json=body, headers={"Authorization": "Bearer good"})
            assert known.json()["message"] == "in"


@pytest.mark.parametrize("content", [b"", b"no certificate", None])
async def test_a_certificate_that_cannot_be_used_is_named(pair, tmp_path, content):
    wrong = tmp_path / "wrong.pem"
    if content is not None:
        wrong.write_bytes(content)
    with pytest.raises(SettingsError, match=r"wrong\.pem"):
        async with served({}, certificate=wrong, key=pair["key"]):
            pass


async def test_an_address_that_is_taken_is_named():
    async with served({}) as url:
        taken = f"127.0.0.1:{httpx.URL(url).port}"
        with pytest.raises(SettingsError, match=taken):
            async with served({}, listen=taken):
                pass
