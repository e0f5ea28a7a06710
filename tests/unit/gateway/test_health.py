"""What a gateway says of itself and of the services behind it, to load balancers and to people."""

import httpx

from served_gateway import echo, renderer, served

NOWHERE = "127.0.0.1:1"


async def test_all_serve(client):
    answer = await client.get("/v1/health")
    assert answer.status_code == 200
    assert answer.json() == {"status": "SERVING", "services": {"render-latex": "SERVING"}}


async def test_one_service_that_is_away_is_named_and_no_reason_to_leave_the_gateway():
    async with (
        renderer(echo) as address,
        served({"render-latex": address, "render-html": NOWHERE}) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        answer = await client.get("/v1/health")
        assert answer.status_code == 200
        assert answer.json() == {
            "status": "NOT_SERVING",
            "services": {"render-latex": "SERVING", "render-html": "UNREACHABLE"},
        }


async def test_a_service_that_is_named_has_to_serve():
    async with (
        renderer(echo) as address,
        served({"render-latex": address, "render-html": NOWHERE}) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        statuses = {
            query: (await client.get(f"/v1/health?{query}")).status_code
            for query in (
                "service=render-latex",
                "service=render-html",
                "service=render-latex&service=render-html",
                "service=metrics",
            )
        }
    assert list(statuses.values()) == [200, 503, 503, 404]


async def test_without_any_service_it_is_live_and_not_healthy():
    async with served({"render-latex": NOWHERE}) as url, httpx.AsyncClient(base_url=url) as client:
        answer = await client.get("/v1/health")
        assert answer.status_code == 503
        assert answer.json()["services"] == {"render-latex": "UNREACHABLE"}
        live = await client.get("/v1/live")
        assert (live.status_code, live.json()) == (200, {"status": "SERVING"})
        assert (await client.get("/")).status_code == 200
