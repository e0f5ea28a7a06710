"""Tokens, certificates, quotas and shares over real gRPC with real TLS."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from contextlib import asynccontextmanager
from dataclasses import replace

import grpc
import pytest

from i2s_chassis.callers.access import new_token, token_line

pytestmark = pytest.mark.integration

LAB, CLUSTER = new_token(), new_token()
OPTIONS = ("--health-listen", "127.0.0.1:0")


def write_access(folder, **more: str) -> tuple[str, str]:
    path = folder / "access.toml"
    text = f'[callers.lab]\ntokens = ["{token_line(LAB)}"]\n{more.get("lab", "")}\n'
    text += f'[callers.cluster]\ntokens = ["{token_line(CLUSTER)}"]\n{more.get("cluster", "")}\n'
    path.write_text(text)
    return "--access-file", str(path)


def bearer(token: str) -> dict:
    return {"metadata": (("authorization", f"Bearer {token}"),)}


async def status(call) -> tuple[grpc.StatusCode, str]:
    return await call.code(), await call.details()


def make_certificate(folder, name: str) -> None:
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes".split()
    words += ["-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem", "-subj", f"/CN={name}"]
    subprocess.run(
        [*words, "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"], check=True, capture_output=True
    )


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("server", "lab", "stranger"):
        make_certificate(folder, name)
    both = (folder / "lab.pem").read_bytes() + (folder / "stranger.pem").read_bytes()
    (folder / "clients.pem").write_bytes(both)
    return folder


@asynccontextmanager
async def connected(echo, certificates, client: str | None = None):
    key, chain = (
        ((certificates / f"{client}.key").read_bytes(), (certificates / f"{client}.pem").read_bytes())
        if client
        else (None, None)
    )
    credentials = grpc.ssl_channel_credentials((certificates / "server.pem").read_bytes(), key, chain)
    async with grpc.aio.secure_channel(echo.addresses["address"], credentials) as channel:
        yield replace(echo, channel=channel)


def tls(certificates) -> tuple[str, ...]:
    return ("--tls-cert", str(certificates / "server.pem"), "--tls-key", str(certificates / "server.key"))


async def test_tokens_over_tls_off_loopback(start, certificates, tmp_path):
    options = ("--listen", "0.0.0.0:0", *tls(certificates), *write_access(tmp_path), *OPTIONS)
    async with start(*options, tls=True) as echo:
        port = echo.addresses["address"].rpartition(":")[2]
        echo.addresses["address"] = f"127.0.0.1:{port}"
        async with connected(echo, certificates) as client:
            assert (await client.one("say x", **bearer(LAB))).value == "x"
            code, message = await status(client.one("say x"))
            assert code is grpc.StatusCode.UNAUTHENTICATED
            assert "authorization: Bearer" in message
            for wrong in ("", "x", LAB[:-1], token_line(LAB)):
                code, message = await status(client.one("say x", **bearer(wrong)))
                assert code is grpc.StatusCode.UNAUTHENTICATED
                assert LAB[:-1] not in message
            assert await client.many().code() is grpc.StatusCode.UNAUTHENTICATED


async def test_only_listed_certificates_may_call(start, certificates, tmp_path):
    path = tmp_path / "access.toml"
    path.write_text('[callers.laboratory]\ncertificates = ["lab"]\n')
    ca = ("--tls-client-ca", str(certificates / "clients.pem"), "--access-file", str(path))
    async with start(*tls(certificates), *ca, *OPTIONS, tls=True) as echo:
        async with connected(echo, certificates, "lab") as client:
            assert (await client.one("say x")).value == "x"
        async with connected(echo, certificates, "stranger") as client:
            code, message = await status(client.one("say x"))
            assert code is grpc.StatusCode.PERMISSION_DENIED
            assert "not listed" in message
        async with connected(echo, certificates) as client:
            assert await client.one("say x", timeout=10).code() is not grpc.StatusCode.OK
    callers = [line["caller"] for line in echo.log() if line["message"] == "call"]
    assert callers[0] == "caller:laboratory"


async def test_without_a_list_a_certificate_names_its_subject(start, certificates):
    ca = ("--tls-client-ca", str(certificates / "clients.pem"))
    async with (
        start(*tls(certificates), *ca, *OPTIONS, tls=True) as echo,
        connected(echo, certificates, "stranger") as client,
    ):
        assert (await client.one("say x")).value == "x"
    (line,) = [line for line in echo.log() if line["message"] == "call"]
    assert line["caller"].startswith("cert:")
    assert "stranger" in line["caller"]


async def test_every_call_leaves_one_line_and_no_token(start, tmp_path):
    async with start(*write_access(tmp_path), "--log-level", "error") as echo:
        await echo.one("say x", **bearer(LAB))
        await echo.one("wrong x", **bearer(CLUSTER)).code()
        await echo.one("say x").code()
        await echo.one("say x", **bearer("i2s_wrong-but-secret")).code()
    lines = [line for line in echo.log() if line["message"] == "call"]
    assert [(line["caller"], line["status"]) for line in lines] == [
        ("caller:lab", "OK"),
        ("caller:cluster", "INVALID_ARGUMENT"),
        ("peer:127.0.0.1", "UNAUTHENTICATED"),
        ("peer:127.0.0.1", "UNAUTHENTICATED"),
    ]
    assert lines[0]["slot_seconds"] > 0
    assert lines[0]["request_bytes"] > 0
    log = (tmp_path / "log").read_text()
    for secret in (LAB, CLUSTER, "wrong-but-secret"):
        assert secret not in log


async def test_a_token_is_taken_away_without_a_restart(start, tmp_path):
    async with start(*write_access(tmp_path)) as echo:
        assert await echo.one("say x", **bearer(LAB)).code() is grpc.StatusCode.OK
        path = tmp_path / "access.toml"
        path.write_text(path.read_text().replace(token_line(LAB), token_line(new_token())))
        os.kill(echo.process.pid, signal.SIGHUP)
        async with asyncio.timeout(30):
            while await echo.one("say x", **bearer(LAB)).code() is not grpc.StatusCode.UNAUTHENTICATED:
                pass
        assert await echo.one("say x", **bearer(CLUSTER)).code() is grpc.StatusCode.OK


async def test_jobs_a_minute_are_a_quota_of_each_caller(start, tmp_path):
    access = write_access(tmp_path, lab="jobs_per_minute = 0.01")
    async with start(*access) as echo:
        assert (await echo.one("say x", **bearer(LAB))).value == "x"
        refused = echo.one("say x", **bearer(LAB))
        assert await refused.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "0.01 jobs a minute" in await refused.details()
        assert int(dict(await refused.trailing_metadata())["grpc-retry-pushback-ms"]) > 60_000
        assert await echo.one("say x", **bearer(CLUSTER)).code() is grpc.StatusCode.OK


async def test_slots_are_a_quota_of_each_caller(start, tmp_path):
    access = write_access(tmp_path, lab="slots = 1\nqueued = 1")
    async with start(*access, "--slots", "3", "--queue", "10") as echo:
        running = echo.one("hold a", **bearer(LAB))
        await echo.control.hears("begun a")
        waiting = echo.one("hold b", **bearer(LAB))
        await echo.metric_is("i2s_queue_waiting", 1)
        code, message = await status(echo.one("hold c", **bearer(LAB)))
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "quota of 1 slots and 1 places" in message
        assert (await echo.one("say x", **bearer(CLUSTER))).value == "x"
        echo.control.say("release a")
        echo.control.say("release b")
        assert [(await call).value for call in (running, waiting)] == ["a", "b"]


async def test_a_caller_who_fills_the_queue_makes_room_for_another(start, tmp_path):
    async with start(*write_access(tmp_path), "--slots", "1", "--queue", "4") as echo:
        greedy = [echo.one(f"hold {number}", **bearer(LAB)) for number in range(5)]
        await echo.control.hears("begun 0")
        await echo.metric_is("i2s_queue_waiting", 4)
        other = echo.one("say x", timeout=30, **bearer(CLUSTER))
        done, _ = await asyncio.wait(
            [asyncio.create_task(call.code()) for call in greedy], return_when=asyncio.FIRST_COMPLETED
        )
        assert {await code for code in done} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
        (displaced,) = [call for call in greedy if call.done()]
        assert int(dict(await displaced.trailing_metadata())["grpc-retry-pushback-ms"]) > 0
        echo.control.say("release 0")
        assert (await other).value == "x"  # before the three that wait
        for number in range(1, 5):
            echo.control.say(f"release {number}")


async def test_token_command_makes_what_the_service_takes(command, start, tmp_path):
    code, out, error = await command("token", "--name", "lab")
    assert (code, error) == (0, "")
    token = next(line for line in out.splitlines() if line.startswith("i2s_"))
    entry = out[out.index("[callers") :]
    assert token not in entry
    (tmp_path / "access.toml").write_text(entry)
    async with start("--access-file", str(tmp_path / "access.toml")) as echo:
        assert await echo.one("say x", **bearer(token)).code() is grpc.StatusCode.OK


async def test_what_cannot_be_served_is_one_line(command, tmp_path):
    for arguments, words in (
        (("--listen", "127.0.0.1:0", "--access-file", str(tmp_path / "none")), "--access-file"),
        (("--metrics-listen", "0.0.0.0:0"), "--insecure-monitoring"),
    ):
        code, _, error = await command("serve", "--log-level", "error", *arguments)
        assert code in (1, 2)
        assert error.count("\n") == 1
        assert words in error
    code, _, error = await command("token")
    assert (code, error.count("\n")) == (2, 1)
