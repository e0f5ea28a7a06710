"""What a gateway counts, as Prometheus reads it."""

import asyncio
import contextlib
import socket

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from i2s.render.v1 import render_pb2 as pb
from i2s_sdk.errors import SettingsError
from served_gateway import echo, renderer, served

RENDER = {"latex": {"document_text": "x"}}


@contextlib.asynccontextmanager
async def gateway(addresses, **chosen):
    """A gateway with metrics; yields a client, and what reads the series: value by name and labels."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        listen = f"127.0.0.1:{held.getsockname()[1]}"
    async with (
        served(addresses, metrics_listen=listen, **chosen) as url,
        httpx.AsyncClient(base_url=url, timeout=60) as client,
        httpx.AsyncClient(base_url=f"http://{listen}", timeout=60) as prometheus,
    ):

        async def series(name, **labels):
            told = (await prometheus.get("/metrics")).text
            samples = [
                sample for family in text_string_to_metric_families(told) for sample in family.samples
                if sample.name == name and labels.items() <= sample.labels.items()
            ]  # fmt: skip
            assert all(sample.labels["service"] == "gateway" for sample in samples)
            return sum(sample.value for sample in samples)

        yield client, series, prometheus


async def test_requests_are_counted_by_route_and_status():
    async with renderer(echo) as address, gateway({"render-latex": address}) as (client, series, _):
        for _ in range(2):
            await client.post("/v1/render", json=RENDER)
        await client.post("/v1/render", json={})
        await client.get("/v1/services/render-latex")
        await client.get("/v1/services/nothing")
        await client.get("/no/such/path")
        counted = "i2s_gateway_requests_total"
        assert await series(counted, route="/v1/render", status="200") == 2
        assert await series(counted, route="/v1/render", status="400") == 1
        assert await series(counted, route="/v1/services/{name}") == 2
        assert await series(counted, route="none", status="404") == 1
        assert await series("i2s_gateway_request_seconds_count", route="/v1/render") == 3
        assert await series("i2s_gateway_requests_in_progress") == 0
        assert await series("i2s_serving") == 1


async def test_requests_under_way_connections_and_bytes_are_there_while_they_last():
    begun, go = asyncio.Event(), asyncio.Event()

    async def answer(request, context):
        begun.set()
        await go.wait()
        return pb.RenderResponse()

    async with renderer(answer) as address, gateway({"render-latex": address}) as (client, series, _):
        asking = asyncio.create_task(client.post("/v1/render", json=RENDER))
        await begun.wait()
        assert await series("i2s_gateway_requests_in_progress", route="/v1/render") == 1
        assert await series("i2s_gateway_connections") == 1
        assert await series("i2s_gateway_connections_limit") == 256
        assert await series("i2s_gateway_body_bytes") > 0
        assert await series("i2s_gateway_body_bytes_limit") == 384 * 1024 * 1024
        go.set()
        assert (await asking).status_code == 200
        assert await series("i2s_gateway_body_bytes") == 0


async def test_waits_are_told_by_service_and_status_and_end_with_their_caller():
    async with gateway({"render-latex": "127.0.0.1:1"}) as (client, series, _):
        asking = asyncio.create_task(client.post("/v1/render", json=RENDER))
        while await series("i2s_gateway_waiting", backend="render-latex") == 0:
            pass
        assert await series("i2s_gateway_waits_total", backend="render-latex", status="UNAVAILABLE") >= 1
        asking.cancel()
        while await series("i2s_gateway_requests_in_progress"):
            pass
        assert await series("i2s_gateway_waiting") == 0
        assert await series("i2s_gateway_requests_total", route="/v1/render") == 1


async def test_probes_are_answered_where_no_caller_takes_connections():
    async with gateway({}, connections=1) as (client, _, monitoring):
        _, held = await asyncio.open_connection(client.base_url.host, client.base_url.port)
        while (await client.get("/v1/live", headers={"Connection": "close"})).status_code == 200:
            pass
        assert (await monitoring.get("/v1/live", headers={"Host": "anything"})).status_code == 200
        held.close()


async def test_an_address_of_metrics_that_is_taken_is_named_by_its_option():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SettingsError, match=f"--metrics-listen {address}"):
            async with served({}, metrics_listen=address):
                pass
