"""Rewards of answers through the contracts of trainers, for ``kills``: verl, OpenRLHF, TRL's environments."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from i2s_sdk import Settings
from i2s_sdk.data import Instance
from i2s_sdk.errors import I2SError
from i2s_training import EpisodeEnvironment, OpenRLHFReward, RoundTripReward, VerlReward

#: Completions that a trainer has judged at the same time.
UNDER_WAY = 64


@dataclass(frozen=True, slots=True)
class Said:
    """What a contract says of one answer."""

    value: float | None  #: The reward; None if there is none.
    error: str = ""  #: Name of the error that kept it from a reward.
    message: str = ""  #: What the error says.


#: Has rewards made of answers to instances, in their order.
Contract: TypeAlias = Callable[[Sequence[tuple[Instance, str]]], Awaitable[list[Said]]]


@asynccontextmanager
async def by_verl(addresses: Mapping[str, str], tasks: Sequence[str]) -> AsyncIterator[Contract]:
    """Have a contract as verl's reward managers await it: one call for each completion."""
    async with _reward(addresses, tasks) as reward:
        verl = VerlReward(reward)

        async def said(instance: Instance, completion: str) -> Said:
            try:
                scored = await verl.compute_score("", completion, "", {"instance": instance})
            except I2SError as error:
                return Said(None, type(error).__name__, error.message)
            return Said(float(scored["score"]))

        yield _many(said)


@asynccontextmanager
async def by_openrlhf(addresses: Mapping[str, str], tasks: Sequence[str]) -> AsyncIterator[Contract]:
    """Have a contract as OpenRLHF calls it: one completion at a time, from many threads."""
    async with _reward(addresses, tasks) as reward:
        function = OpenRLHFReward(reward)

        def judged(instance: Instance, completion: str) -> Said:
            prompt = "Give the structure of the image."
            try:
                given = function([prompt + completion], [prompt], [{"instance": instance}])
            except I2SError as error:
                return Said(None, type(error).__name__, error.message)
            return Said(float(given["rewards"]))

        with ThreadPoolExecutor(UNDER_WAY) as threads:
            loop = asyncio.get_running_loop()
            yield _many(lambda *pair: loop.run_in_executor(threads, judged, *pair))


@asynccontextmanager
async def by_trl(addresses: Mapping[str, str], tasks: Sequence[str]) -> AsyncIterator[Contract]:
    """Have a contract as TRL plays an environment: reset, one answer by its tool, and the reward."""
    async with _reward(addresses, tasks) as reward:
        made = EpisodeEnvironment.factory(reward, turns=1)

        async def said(instance: Instance, completion: str) -> Said:
            environment = made()
            environment.reset(instance=instance)
            await environment.submit(completion)
            value = await environment.get_reward()
            return Said(value, "" if value is not None else "None")

        yield _many(said)


#: The contracts of trainers by name.
CONTRACTS: Mapping[
    str, Callable[[Mapping[str, str], Sequence[str]], AbstractAsyncContextManager[Contract]]
] = {"verl": by_verl, "openrlhf": by_openrlhf, "trl": by_trl}


@asynccontextmanager
async def _reward(addresses: Mapping[str, str], tasks: Sequence[str]) -> AsyncIterator[RoundTripReward]:
    named: Any = {name.replace("-", "_"): address for name, address in addresses.items()}
    reward = RoundTripReward(tasks=tasks, task=tasks[0], on_failure="none", settings=Settings(**named))
    try:
        yield reward
    finally:
        await asyncio.to_thread(reward.close)


def _many(one: Callable[[Instance, str], Awaitable[Said]]) -> Contract:
    """Return a contract that judges UNDER_WAY answers at a time, each by a call of its own."""

    async def contract(given: Sequence[tuple[Instance, str]]) -> list[Said]:
        slots = asyncio.Semaphore(UNDER_WAY)

        async def judged(instance: Instance, completion: str) -> Said:
            async with slots:
                return await one(instance, completion)

        return list(await asyncio.gather(*(judged(*pair) for pair in given)))

    return contract
