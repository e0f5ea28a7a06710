"""What a gateway refuses: pages of other sites, and more than it may hold."""

import asyncio
import contextlib

import httpx
import pytest

from served_gateway import echo, renderer, served

BODY = b'{"latex": {"document_text": "x"}}'
JSON = {"Content-Type": "application/json"}


@contextlib.asynccontextmanager
async def gateway(**chosen):
    async with (
        renderer(echo) as address,
        served({"render-latex": address}, **chosen) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        yield client


async def raw(client, request):
    """Send bytes; returns the stream of the answer and the one to write to."""
    reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
    writer.write(request)
    await writer.drain()
    return reader, writer


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:7780",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "",
        "[::1",
        "x@localhost",
    ],
)
async def test_a_name_that_is_not_ours_is_refused_even_at_our_address(client, host):
    answer = await client.get("/v1/health", headers={"Host": host})
    assert answer.status_code in (400, 403)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1:1", "[::1]:1", "10.0.0.7", "localhost."]
)
async def test_names_and_addresses_that_nobody_else_owns_are_answered(client, host):
    assert (await client.get("/v1/health", headers={"Host": host})).status_code == 200


async def test_two_hosts_are_refused(client):
    reader, writer = await raw(client, b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
    assert b" 400 " in await reader.readline()
    writer.close()


async def test_a_page_of_another_site_sends_nothing(client):
    for origin in ("https://evil.example", "null", "http://127.0.0.1:9", ""):
        headers = {**JSON, "Origin": origin}
        answer = await client.post("/v1/render", content=BODY, headers=headers)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers
    preflight = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    assert (await client.options("/v1/render", headers=preflight)).status_code == 403


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None]
)
async def test_what_a_form_of_another_site_can_send_is_refused(client, kind):
    answer = await client.post("/v1/render", content=BODY, headers={"Content-Type": kind} if kind else {})
    assert (answer.status_code, answer.json()["error"]["status"]) == (415, "INVALID_ARGUMENT")


async def test_pages_of_sites_that_are_let_in_can_ask():
    origin = "https://app.example"
    async with gateway(origins=(origin,), hosts=("i2s.lan",)) as client:
        headers = {"Origin": origin, "Access-Control-Request-Method": "POST", "Host": "i2s.lan:7780"}
        allowed = await client.options("/v1/render", headers=headers)
        assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, origin)
        answer = await client.post("/v1/render", content=BODY, headers={**JSON, "Origin": origin})
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, origin)
        other = await client.post("/v1/render", content=BODY, headers={**JSON, "Origin": "https://b.example"})
        assert other.status_code == 403


async def test_compressed_bodies_are_refused(client):
    answer = await client.post("/v1/render", content=BODY, headers={**JSON, "Content-Encoding": "gzip"})
    assert answer.status_code == 415


async def test_bodies_are_bounded_whether_announced_or_not():
    async with gateway(body_bytes=len(BODY)) as client:
        assert (await client.post("/v1/render", content=BODY, headers=JSON)).status_code == 200

        async def pieces(count):
            for _ in range(count):
                yield BODY

        unannounced = await client.post("/v1/render", content=pieces(1), headers=JSON)
        assert unannounced.status_code == 200
        for content in (BODY + b" ", pieces(2)):
            answer = await client.post("/v1/render", content=content, headers=JSON)
            assert (answer.status_code, answer.json()["error"]["status"]) == (413, "RESOURCE_EXHAUSTED")


async def test_bodies_together_are_bounded_and_memory_comes_back():
    async with gateway(body_bytes=100, bodies_bytes=200) as client:
        head = b"POST /v1/render HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        part = BODY + b" " * (90 - len(BODY))
        reader, writer = await raw(client, head + b"Content-Length: 91\r\n\r\n" + part)
        refused = await client.post("/v1/render", content=part, headers=JSON)
        while refused.status_code == 200:  # the first has not been read yet
            refused = await client.post("/v1/render", content=part, headers=JSON)
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
        writer.write(b" ")
        assert b" 200 " in await reader.readline()
        writer.close()
        assert (await client.post("/v1/render", content=part, headers=JSON)).status_code == 200


@pytest.mark.parametrize("more", [b"", b"Connection: close\r\n"])
async def test_a_caller_that_still_sends_reads_why_its_body_is_refused(more):
    size = 40_000_000
    async with gateway(body_bytes=1000, bodies_bytes=2000) as client:
        head = b"POST /v1/render HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + more
        reader, writer = await raw(client, head + b"Content-Length: %d\r\n\r\n" % size)
        writer.write(b" " * size)
        await writer.drain()
        assert b" 413 " in await reader.readline()
        writer.close()


async def test_a_half_of_a_character_is_refused_by_its_name(client):
    answer = await client.post("/v1/render", content=b'{"\\ud800": 1}', headers=JSON)
    assert (answer.status_code, answer.json()["error"]["status"]) == (400, "INVALID_ARGUMENT")


async def test_bytes_that_no_token_has_are_refused(client):
    answer = await client.post("/v1/render", content=BODY, headers={**JSON, "Authorization": b"Bearer \xff"})
    assert (answer.status_code, answer.json()["error"]["status"]) == (401, "UNAUTHENTICATED")
    answer = await client.post("/v1/render", content=BODY, headers={**JSON, "traceparent": b"\xff"})
    assert answer.status_code == 200


async def test_a_path_forges_no_line_of_the_log(client, caplog):
    caplog.set_level("INFO", "i2s_gateway")
    await client.get("/v1/%0aGET%20/%20200")
    assert [line for line in caplog.messages if "\n" in line] == []
    assert any("\\n" in line for line in caplog.messages)


async def test_a_header_is_bounded(client):
    reader, writer = await raw(client, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 1_000_000)
    with contextlib.suppress(ConnectionResetError):
        assert (await reader.read())[:13] in (b"", b"HTTP/1.1 400 ")
    writer.close()


async def test_a_token_does_not_leave_without_tls():
    async with served({"render-latex": "192.0.2.1:1"}) as url, httpx.AsyncClient(base_url=url) as client:
        headers = {**JSON, "Authorization": "Bearer secret"}
        answer = await client.post("/v1/render", content=BODY, headers=headers)
        assert answer.status_code == 502
        assert "without TLS" in answer.json()["error"]["message"]
