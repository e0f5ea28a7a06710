"""What a service exports of its calls, and what it counts by caller."""

from __future__ import annotations

import time
from collections.abc import Iterator

import grpc
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from i2s_chassis.callers.access import new_token, token_line
from recorded_spans import Collector, collecting

pytestmark = pytest.mark.integration

TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = {"metadata": (("traceparent", f"00-{TRACE}-{CALLER}-01"), ("tracestate", "vendor=1"))}
LAB = new_token()


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


async def test_a_call_continues_the_trace_of_its_caller_and_is_named_in_the_log(start, collector):
    async with start(**collector.variables) as echo:
        await echo.one("say secret", **PARENT)
        (call,) = collector.wait_for(1, "i2s.test.Echo/One")
        (queue,) = collector.wait_for(1, "queue")
        (line,) = (one for one in echo.log() if one["message"] == "call")
    assert (call.service, call.kind, call.failed) == ("echo", "SERVER", False)
    assert (f"{call.trace_id:032x}", f"{call.parent_id:016x}") == (TRACE, CALLER)
    assert (queue.trace_id, queue.parent_id) == (call.trace_id, call.span_id)
    assert call.start <= queue.start <= queue.end <= call.end
    assert call.attributes["i2s.caller"] == "anonymous"
    assert (line["trace_id"], line["span_id"]) == (TRACE, f"{call.span_id:016x}")
    assert "secret" not in str(collector.all())


async def test_a_fault_marks_its_call_and_says_no_more_than_the_status(start, collector):
    async with start(**collector.variables) as echo:
        with pytest.raises(grpc.aio.AioRpcError):
            await echo.one("boom secret")
        (call,) = collector.wait_for(1, "i2s.test.Echo/One")
    assert call.failed
    assert call.parent_id == 0
    assert (call.attributes["rpc.grpc.status_code"], call.attributes["error.type"]) == (13, "INTERNAL")
    assert "secret" not in str(collector.all())


async def test_each_item_of_a_stream_is_in_the_trace_of_the_stream(start, collector):
    async with start(**collector.variables) as echo:
        stream = echo.channel.stream_stream(
            "/i2s.test.Echo/Many", StringValue.SerializeToString, StringValue.FromString
        )(**PARENT)
        for word in ("say one", "wrong two", "say three"):
            await stream.write(StringValue(value=word))
        await stream.done_writing()
        assert len([answer async for answer in stream]) == 3
        items = collector.wait_for(3, "item")
        (call,) = collector.wait_for(1, "i2s.test.Echo/Many")
    assert f"{call.trace_id:032x}" == TRACE
    assert {item.parent_id for item in items} == {call.span_id}
    assert sorted(item.attributes["rpc.grpc.status_code"] for item in items) == [0, 0, 3]


async def test_spans_that_wait_are_exported_at_the_end(start, collector):
    async with start(**{**collector.variables, "OTEL_BSP_SCHEDULE_DELAY": "3600000"}) as echo:
        await echo.one("say it")
        echo.process.terminate()
        assert await echo.ended() == 0
        assert len(collector.wait_for(1, "i2s.test.Echo/One")) == 1


async def test_without_a_collector_a_service_serves_and_ends(start):
    variables = {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    async with start(**variables) as echo:
        for number in range(20):
            assert (await echo.one(f"say {number}")).value == str(number)
        echo.process.terminate()
        began = time.monotonic()
        assert await echo.ended() == 0
        assert time.monotonic() - began < 20


async def test_a_wrong_exporter_is_a_warning_and_the_service_serves(start):
    async with start(OTEL_TRACES_EXPORTER="otlb") as echo:
        assert (await echo.one("say it")).value == "it"
        (line,) = (one for one in echo.log() if "traces are not exported" in one["message"])
    assert line["level"] == "warning"
    assert line["message"].endswith("no installed package has an exporter 'otlb'")


async def test_jobs_and_refusals_are_counted_by_caller(start, tmp_path):
    access = tmp_path / "access.toml"
    access.write_text(f'[callers.lab]\ntokens = ["{token_line(LAB)}"]\njobs_per_minute = 2\n')
    lab = {"metadata": (("authorization", f"Bearer {LAB}"),)}
    async with start("--access-file", str(access)) as echo:
        for number in range(2):
            await echo.one(f"say {number}", **lab)
        for refused in (echo.one("say more", **lab), echo.one("say it")):
            with pytest.raises(grpc.aio.AioRpcError):
                await refused
        text = await echo.scrape()
    for series in (
        'i2s_jobs_total{caller="caller:lab",service="echo",verdict="rendered"} 2.0',
        'i2s_refusals_total{caller="caller:lab",reason="quota",service="echo"} 1.0',
        'i2s_refusals_total{caller="anonymous",reason="credentials",service="echo"} 1.0',
        'i2s_serving{service="echo"} 1.0',
    ):
        assert series in text, series


async def test_a_full_queue_and_a_drain_are_refusals_of_their_own(start):
    async with start("--slots", "1", "--queue", "0") as echo:
        running = echo.one("hold first")
        await echo.control.hears("begun first")
        with pytest.raises(grpc.aio.AioRpcError):
            await echo.one("say second")
        echo.process.terminate()
        await echo.healthy("NOT_SERVING")
        with pytest.raises(grpc.aio.AioRpcError):
            await echo.one("say third")
        text = await echo.scrape()
        echo.control.say("release first")
        await running
    for series in (
        'i2s_refusals_total{caller="anonymous",reason="queue",service="echo"} 1.0',
        'i2s_refusals_total{caller="anonymous",reason="draining",service="echo"} 1.0',
        'i2s_serving{service="echo"} 0.0',
    ):
        assert series in text, series
