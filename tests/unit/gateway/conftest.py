"""A gateway in front of a renderer that says what it was asked."""

import httpx
import pytest_asyncio

from served_gateway import echo, renderer, served


@pytest_asyncio.fixture
async def client():
    async with (
        renderer(echo) as address,
        served({"render-latex": address}) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        yield client
