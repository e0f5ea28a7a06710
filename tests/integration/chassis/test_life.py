"""The life of a service, from its first to its last moment."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import replace

import grpc
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from renderers import PILLOW, SUPPORT

pytestmark = pytest.mark.integration


async def test_announcement_names_service_addresses_and_process(start):
    async with start("--metrics-listen", "127.0.0.1:0") as echo:
        host, _, port = echo.addresses["address"].rpartition(":")
        assert (host, echo.addresses["service"], echo.addresses["pid"]) == (
            "127.0.0.1",
            "echo",
            echo.process.pid,
        )
        assert int(port) > 0
        assert echo.addresses["metrics_address"].startswith("127.0.0.1:")


async def test_announcement_is_removed_at_the_end(start):
    async with start() as echo:
        echo.process.terminate()
        assert await echo.ended() == 0
        assert not (echo.folder / "announce").exists()


async def test_calls_are_unavailable_until_the_service_is_open(start):
    async with start(go=False) as echo:
        assert await echo.health() == "NOT_SERVING"
        assert await echo.health("i2s.test.Echo") == "NOT_SERVING"
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await echo.one("say hello", metadata=(("x-request-id", "too-early"),))
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert "starting" in refused.value.details()
        assert_audited_as_unavailable(echo, "too-early")

        echo.control.say("go")
        await echo.healthy("SERVING")
        assert await echo.health("i2s.test.Echo") == "SERVING"
        assert (await echo.one("say hello")).value == "hello"


async def test_signal_while_starting_ends_the_service_cleanly(start):
    async with start(go=False) as echo:
        echo.process.terminate()
        await echo.control.hears("closed")
        assert await echo.ended() == 0


async def test_a_start_that_something_outside_disturbs_begins_again(start):
    async with start("--kills", "2") as echo:
        assert (await echo.one("say hello")).value == "hello"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_draining_finishes_the_running_job_and_refuses_new_ones(start, number):
    async with start() as echo:
        job = echo.one("hold job")
        await echo.control.hears("begun job")
        echo.process.send_signal(number)
        await echo.healthy("NOT_SERVING")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await echo.one("say too late", metadata=(("x-request-id", "too-late"),))
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert "draining" in refused.value.details()
        assert_audited_as_unavailable(echo, "too-late")

        echo.control.say("release job")
        assert (await job).value == "job"
        await echo.control.hears("closed")
        assert await echo.ended() == 0


async def test_job_that_outlives_the_draining_ends_unavailable(start):
    async with start("--drain-seconds", "0.2") as echo:
        job = echo.one("hold job")
        await echo.control.hears("begun job")
        echo.process.terminate()
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await job
        assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
        await echo.control.hears("cancelled job")
        assert await echo.ended() == 0


async def test_second_signal_ends_at_once(start):
    async with start("--drain-seconds", "600") as echo:
        job = echo.one("hold job")
        await echo.control.hears("begun job")
        echo.process.terminate()
        await echo.healthy("NOT_SERVING")
        echo.process.terminate()
        await echo.control.hears("cancelled job")
        with pytest.raises(grpc.aio.AioRpcError):
            await job
        assert await echo.ended() == 1


async def test_stream_is_answered_as_far_as_it_was_read_when_draining(start):
    async with start("--slots", "2") as echo:
        stream = echo.many()
        await stream.write(StringValue(value="hold job"))
        await echo.control.hears("begun job")
        echo.process.terminate()
        await echo.healthy("NOT_SERVING")
        echo.control.say("release job")
        assert (await stream.read()).value == "job"
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await stream.read()
        assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
        assert await echo.ended() == 0


async def test_unhealthy_service_is_not_serving_and_unavailable(start):
    async with start() as echo:
        await echo.one("sick now")
        assert await echo.health() == "NOT_SERVING"
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await echo.one("say x")
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_health_alone_is_served_on_its_own_address(start):
    async with (
        start("--health-listen", "127.0.0.1:0") as echo,
        grpc.aio.insecure_channel(echo.addresses["health_address"]) as probe,
    ):
        other = replace(echo, channel=probe)
        assert await other.health() == "SERVING"
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await other.one("say x")
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_port_in_use_is_one_line_that_names_the_option(start, command):
    async with start() as echo:
        code, _, error = await command("serve", "--listen", echo.addresses["address"])
        assert code == 1
        assert error.count("\n") == 1
        assert "--listen" in error
        assert "in use" in error


def test_a_renderer_at_a_port_in_use_says_so_before_it_tries_its_sandbox() -> None:
    no_sandbox = ("--jail-tier", "namespace", "--bwrap", "/nowhere/bwrap")
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        for option in ("--listen", "--health-listen", "--metrics-listen"):
            code, error = start_of_renderer("--listen", "127.0.0.1:0", *no_sandbox, option, taken)
            assert (code, error) == (1, f"i2s-render-pillow: {option} {taken}: the address is in use\n")
    code, error = start_of_renderer("--listen", "127.0.0.1:0", *no_sandbox)
    assert code == 1
    assert "no isolation tier works" in error


def start_of_renderer(*options: str) -> tuple[int, str]:
    """Start the smallest renderer where it cannot serve; returns its exit code and what it says."""
    ended = subprocess.run(
        [sys.executable, "-m", PILLOW.module, "serve", *options],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, (str(SUPPORT), os.environ.get("PYTHONPATH")))),
        },
    )
    return ended.returncode, ended.stderr


async def test_log_is_one_json_object_a_line(start):
    async with start() as echo:
        await echo.one("say x", metadata=(("x-request-id", "abc-1"), ("traceparent", TRACE)))
        echo.process.terminate()
        await asyncio.wait_for(echo.process.wait(), 30)
        calls = [line for line in echo.log() if line["message"] == "call"]
        assert calls[0]["request_id"] == "abc-1"
        assert calls[0]["trace_id"] == "0af7651916cd43dd8448eb211c80319c"
        assert calls[0]["status"] == "OK"
        assert json.dumps(echo.log()[0])


def assert_audited_as_unavailable(echo, request_id: str) -> None:
    """Check that the log has one line of a refused call, which is written before its answer is sent."""
    (line,) = (one for one in echo.log() if one.get("request_id") == request_id)
    assert (line["logger"], line["message"]) == ("i2s_chassis.audit", "call")
    assert (line["method"], line["status"], line["caller"]) == ("One", "UNAVAILABLE", "peer:127.0.0.1")


TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
