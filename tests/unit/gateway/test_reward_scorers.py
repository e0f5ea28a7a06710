"""The scorers of tasks: how many answers are under way follows the services."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from i2s_client import AsyncDocumentsClient
from i2s_client.service_table import DOCUMENTS
from i2s_gateway import reward_scorers
from i2s_gateway.reward_scorers import OpenedTask, RewardScorers, services_of
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import Services


async def under_way(opened: OpenedTask) -> int:
    """Return how many answers of a caller have a slot at a time."""
    taking = [asyncio.create_task(opened.slots.take("a")) for _ in range(50)]
    await asyncio.sleep(0)
    taken = [one.done() for one in taking].count(True)
    for one in taking:
        one.cancel()
    await asyncio.wait(taking)
    for _ in range(taken):
        opened.slots.give_back("a")
    return taken


async def test_slots_follow_what_services_say_of_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task without services has those of the processors here."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(reward_scorers, "time", SimpleNamespace(monotonic=lambda: clock.now))
    scorers = RewardScorers(Services({}, None, {}), Settings(), ("sobench",))
    for processors in (1, 8, 3):
        monkeypatch.setattr("os.cpu_count", lambda number=processors: number)
        assert await under_way(await scorers.opened("sobench", ())) == 2 * processors
        clock.now += 61.0
    await scorers.close()


async def test_a_metric_that_is_asked_for_by_name_has_its_service_if_it_is_here() -> None:
    services = Services({}, None, {}, documents=AsyncDocumentsClient("127.0.0.1:9"))
    here, absent = (RewardScorers(one, Settings(), ("latex",)) for one in (services, Services({}, None, {})))
    task = here.tasks["latex"]
    assert DOCUMENTS not in services_of(task)
    assert {*services_of(task, ("teds",))} == {*services_of(task), DOCUMENTS}
    assert here.asked("latex", ("teds",)) == services_of(task, ("teds",))
    assert absent.asked("latex", ("teds",)) == services_of(task)
