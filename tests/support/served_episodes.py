"""A gateway with episodes in the event loop of a test, and renderers behind it that do what the test says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx

from i2s_client import AsyncRenderClient, RetryPolicy
from i2s_gateway.episodes import open_episodes
from i2s_gateway.rewards import open_rewards
from i2s_gateway.settings import GatewaySettings
from i2s_sdk.settings import COMPLETION_CHARACTERS, Settings
from i2s_sdk.stack.services import Services
from served_gateway import Answer, renderer, served

#: What the figures of the task scimage are rendered by; they are compared with no reference.
RENDERERS = ("render-python", "render-latex")


@asynccontextmanager
async def episodes_of(
    address: str,
    *,
    retry_seconds: float = 2.0,
    completion_characters: int = COMPLETION_CHARACTERS,
    **chosen: Any,
) -> AsyncIterator[httpx.AsyncClient]:
    """Have a client of a gateway with episodes as long as the block lasts.

    Args:
        address: Address of what answers for the renderers behind it.
        retry_seconds: Seconds for which it is asked again.
        completion_characters: The most characters of an answer.
        chosen: Settings of the gateway.
    """
    settings = Settings(retry_seconds=retry_seconds, completion_characters=completion_characters)
    gateway = GatewaySettings(**{"listen": "127.0.0.1:0", **chosen})
    async with AsyncExitStack() as stack:
        addresses, retry = dict.fromkeys(RENDERERS, address), RetryPolicy(total_seconds=retry_seconds)
        renderers = {
            name: await stack.enter_async_context(AsyncRenderClient(address, retry=retry))
            for name in addresses
        }
        rewards = open_rewards(Services(renderers, None, {}), settings, gateway)
        stack.push_async_callback(rewards.close)
        episodes = open_episodes(rewards, settings, gateway)
        await stack.enter_async_context(episodes.swept())
        further = [rewards.routes, episodes.routes]
        url = await stack.enter_async_context(served(addresses, further=further, **chosen))
        yield await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=60))


@asynccontextmanager
async def episodes_before(answer: Answer, **more: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Do the same with a renderer whose answers are those of a function."""
    async with renderer(answer) as address, episodes_of(address, **more) as client:
        yield client
