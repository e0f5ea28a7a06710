"""Episodes by HTTP: a question, answers with their observations, and what callers must not be able to do."""

from __future__ import annotations

import asyncio
import base64
import threading
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from faulty_folder import FaultyFolder
from i2s.render.v1 import render_pb2 as pb
from i2s_gateway.episode_calls import EpisodeCalls
from i2s_gateway.openapi import openapi
from served_episodes import episodes_before, episodes_of
from served_gateway import renderer
from served_rewards import INPUTS, draws_at_once, picture

OPENING = {"task": "scimage", "inputs": INPUTS}
ALICE, BOB = ({"Authorization": f"Bearer {name}"} for name in ("alice", "bob"))


def answer(number: object) -> dict[str, str]:
    return {"completion": f"```python\nplot({number})\n```"}


async def fails_at_two(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
    """Draw programs but those with a 2, whose error it names."""
    if b"plot(2)" not in request.SerializeToString():
        return picture()
    error = pb.SourceError(message="NameError: name 'plot' is not defined", line=1)
    return pb.RenderResponse(verdict=pb.VERDICT_COMPILE_ERROR, error=error)


async def begun(client: httpx.AsyncClient, headers: dict[str, str] | None = None, **more: Any) -> str:
    made = await client.post("/v1/episodes", json={**OPENING, **more}, headers=headers)
    assert made.status_code == 201, made.text
    name: str = made.json()["id"]
    return name


async def test_an_episode_asks_shows_what_became_of_each_answer_and_ends_with_the_last() -> None:
    async with episodes_before(fails_at_two) as client:
        made = (await client.post("/v1/episodes", json={**OPENING, "turns": 2})).json()
        assert "a square" in made["messages"][0]["content"][0]["text"]
        assert (made["turn"], made["turns"], made["done"]) == (0, 2, False)
        assert made["reward"] == {
            "value": None,
            "valid": False,
            "reason": "no answer was judged",
            "turns": [],
        }
        path = f"/v1/episodes/{made['id']}"
        broken = (await client.post(f"{path}/step", json=answer(2))).json()
        assert (broken["reward"]["value"], broken["reward"]["valid"], broken["done"]) == (0.0, True, False)
        seen = broken["observation"]
        assert (seen["verdict"], seen["rendering"]) == ("COMPILE_ERROR", None)
        assert "NameError" in seen["error"]["message"]
        assert "NameError" in "".join(part["text"] for part in seen["messages"][0]["content"])
        drawn = (await client.post(f"{path}/step", json=answer(1))).json()
        assert (drawn["reward"]["value"], drawn["reward"]["turns"], drawn["done"]) == (1.0, [0.0, 1.0], True)
        assert base64.b64decode(drawn["observation"]["rendering"]).startswith(b"\x89PNG")
        assert drawn["observation"]["messages"] == []
        assert drawn["step"]["judged"]["verdict"] == "RENDERED"
        over = await client.post(f"{path}/step", json=answer(3))
        assert (over.status_code, over.json()["error"]["status"]) == (409, "FAILED_PRECONDITION")
        shown = (await client.get(path)).json()
        assert shown["reward"] == drawn["reward"]
        assert (await client.delete(path)).status_code == 204
        assert (await client.get(path)).status_code == 404


async def test_an_answer_that_a_service_failed_uses_no_turn_and_can_be_given_again() -> None:
    fails = True

    async def ends_at_first(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        if fails and request.ByteSize():
            await context.abort(grpc.StatusCode.INTERNAL, "the worker was killed")
        return picture()

    async with episodes_before(ends_at_first) as client:
        path = f"/v1/episodes/{await begun(client)}/step"
        lost = (await client.post(path, json=answer(1))).json()
        assert (lost["turn"], lost["done"], lost["reward"]["value"]) == (0, False, None)
        assert (lost["step"]["valid"], lost["step"]["value"]) == (False, None)
        assert "the worker was killed" in lost["reward"]["reason"]
        assert lost["step"]["judged"]["reason"]["fault"] == "infrastructure"
        fails = False
        again = (await client.post(path, json=answer(1))).json()
        assert (again["turn"], again["reward"]["value"], again["reward"]["reason"]) == (1, 1.0, "")


async def test_an_episode_of_another_caller_is_not_there() -> None:
    async with episodes_before(draws_at_once) as client:
        name = await begun(client, ALICE)
        for method, path, body in (
            ("GET", f"/v1/episodes/{name}", None),
            ("DELETE", f"/v1/episodes/{name}", None),
            ("POST", f"/v1/episodes/{name}/step", answer(1)),
        ):
            for headers in (BOB, {}):
                foreign = await client.request(method, path, json=body, headers=headers)
                missing = await client.request(
                    method, path.replace(name, "x" * 32), json=body, headers=headers
                )
                assert foreign.status_code == missing.status_code == 404
                assert foreign.json() == missing.json()
        assert (await client.get(f"/v1/episodes/{name}", headers=ALICE)).json()["turn"] == 0


@pytest.mark.parametrize("name", ["..%2f..%2fetc%2fpasswd", "x", "%00" * 32, "." * 32, "~" * 32, "x" * 5000])
async def test_forged_names_and_names_of_paths_are_not_there(name: str, tmp_path: Path) -> None:
    async with episodes_before(draws_at_once, store=str(tmp_path)) as client:
        for path in (f"/v1/episodes/{name}/step", f"/v1/episodes/{name}"):
            method = "POST" if path.endswith("step") else "GET"
            assert (await client.request(method, path, json=answer(1))).status_code == 404


async def test_of_two_steps_at_a_time_one_wins() -> None:
    entered, leave = asyncio.Event(), asyncio.Event()

    async def waits(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        if request.ByteSize():
            entered.set()
            await leave.wait()
        return picture()

    async with episodes_before(waits) as client:
        name = await begun(client, ALICE)
        path = f"/v1/episodes/{name}"
        first = asyncio.create_task(client.post(f"{path}/step", json=answer(1), headers=ALICE))
        await asyncio.wait_for(entered.wait(), 30)
        second = await client.post(f"{path}/step", json=answer(2), headers=ALICE)
        assert (second.status_code, second.json()["error"]["status"]) == (409, "ABORTED")
        assert (await client.delete(path, headers=ALICE)).status_code == 409
        # Who has no such episode does not learn that somebody is using it.
        foreign = await client.post(f"{path}/step", json=answer(2), headers=BOB)
        assert foreign.status_code == 404
        leave.set()
        assert (await first).json()["turn"] == 1


async def test_a_step_whose_caller_goes_away_uses_no_turn() -> None:
    entered = asyncio.Event()

    async def waits(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        if b"plot(1)" in request.SerializeToString():
            entered.set()
            await asyncio.Event().wait()
        return picture()

    async with episodes_before(waits) as client:
        path = f"/v1/episodes/{await begun(client)}"
        leaving = asyncio.create_task(client.post(f"{path}/step", json=answer(1)))
        await asyncio.wait_for(entered.wait(), 30)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        async with asyncio.timeout(30):
            while (after := await client.post(f"{path}/step", json=answer(3))).status_code == 409:
                await asyncio.sleep(0)
        assert after.json()["turn"] == 1


async def test_episodes_outlive_the_gateway_in_a_store(tmp_path: Path) -> None:
    async with renderer(draws_at_once) as address:
        async with episodes_of(address, store=str(tmp_path)) as client:
            name = await begun(client, ALICE, turns=4)
            await client.post(f"/v1/episodes/{name}/step", json=answer(1), headers=ALICE)
        assert b"alice" not in b"".join(one.read_bytes() for one in tmp_path.glob("*.json"))
        async with episodes_of(address, store=str(tmp_path)) as client:
            path = f"/v1/episodes/{name}"
            assert (await client.get(path, headers=BOB)).status_code == 404
            after = (await client.post(f"{path}/step", json=answer(2), headers=ALICE)).json()
            assert (after["turn"], after["reward"]["turns"]) == (2, [1.0, 1.0])


async def test_a_caller_with_too_many_episodes_is_sent_away() -> None:
    async with episodes_before(draws_at_once, episodes_each=2) as client:
        for _ in range(2):
            await begun(client, ALICE)
        refused = await client.post("/v1/episodes", json=OPENING, headers=ALICE)
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) >= 1
        await begun(client, BOB)


async def test_an_answer_that_is_too_large_is_refused_and_uses_no_turn() -> None:
    async with episodes_before(draws_at_once, body_bytes=4096, bodies_bytes=16384) as client:
        path = f"/v1/episodes/{await begun(client)}"
        refused = await client.post(f"{path}/step", json={"completion": "x" * 5000})
        assert refused.status_code == 413
        assert (await client.get(path)).json()["turn"] == 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FaultyFolder:
    """The store of the gateways of a test."""
    opened = FaultyFolder(tmp_path)
    monkeypatch.setattr("i2s_gateway.episodes.open_storage", lambda where, settings: opened)
    return opened


def wait_for_the_store(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Have requests wait so long for the store, and for services as long as a busy machine needs."""
    monkeypatch.setattr("i2s_gateway.episodes.EpisodeCalls", lambda store, _: EpisodeCalls(store, seconds))
    monkeypatch.setattr("i2s_gateway.rewards._LOOK_SECONDS", 60.0)


async def test_a_store_that_hangs_stops_neither_the_start_nor_rewards_nor_the_end(
    folder: FaultyFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.hangs = threading.Event()
    wait_for_the_store(monkeypatch, 0.2)
    async with episodes_before(draws_at_once, store=str(tmp_path)) as client:
        asking = [asyncio.create_task(client.post("/v1/episodes", json=OPENING)) for _ in range(40)]
        batch = {"items": [{"task": "scimage", "inputs": INPUTS, **answer(1)}]}
        assert (await client.get("/v1/live")).status_code == 200
        judged = await client.post("/v1/reward", json=batch)
        assert judged.json()["items"][0]["value"] == 1.0
        refused = await asyncio.gather(*asking)
        assert {one.status_code for one in refused} == {503}
        assert refused[0].headers["Retry-After"] == "1"
    folder.hangs.set()


async def test_a_step_that_is_being_kept_is_alone_until_it_is_kept_though_its_caller_went_away(
    folder: FaultyFolder, tmp_path: Path
) -> None:
    async with episodes_before(draws_at_once, store=str(tmp_path)) as client:
        path = f"/v1/episodes/{await begun(client)}"
        folder.held, folder.called = threading.Event(), threading.Event()
        leaving = asyncio.create_task(client.post(f"{path}/step", json=answer(1)))
        assert await asyncio.to_thread(folder.called.wait, 30)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        for _ in range(20):  # as long as it takes the gateway to notice
            assert (await client.post(f"{path}/step", json=answer(2))).status_code == 409
        folder.held.set()
        async with asyncio.timeout(30):
            while (after := await client.post(f"{path}/step", json=answer(3))).status_code == 409:
                await asyncio.sleep(0)
        assert after.json()["turn"] == 2


async def test_a_step_that_is_kept_late_is_no_reason_to_send_it_again(
    folder: FaultyFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for_the_store(monkeypatch, 2.0)
    async with episodes_before(draws_at_once, store=str(tmp_path)) as client:
        path = f"/v1/episodes/{await begun(client)}"
        folder.held = threading.Event()
        late = await client.post(f"{path}/step", json=answer(1))
        assert (late.status_code, late.headers.get("Retry-After")) == (504, None)
        assert (await client.delete(path)).status_code == 409
        folder.held.set()
        async with asyncio.timeout(30):
            while (shown := await client.get(path)).json()["turn"] == 0:
                await asyncio.sleep(0)
        assert shown.json()["reward"]["value"] == 1.0


async def test_a_step_has_a_bound_of_its_own_and_one_of_nobody_is_not_read() -> None:
    async with episodes_before(draws_at_once, completion_characters=1000) as client:
        path = f"/v1/episodes/{await begun(client)}/step"
        refused = await client.post(path, json={"completion": "x" * 20_000})
        assert (refused.status_code, refused.json()["error"]["status"]) == (413, "RESOURCE_EXHAUSTED")
        missing = await client.post(f"/v1/episodes/{'x' * 32}/step", json={"completion": "x" * 20_000})
        assert missing.status_code == 404
        escaped = b'{"completion": "%s"}' % (rb"\ud83d\ude00" * 1000)
        judged = await client.post(path, content=escaped, headers={"Content-Type": "application/json"})
        assert (judged.status_code, judged.json()["turn"]) == (200, 1)


DEEP = '{"completion":' + "[" * 5000 + "]" * 5000 + "}"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"turns": 0}, "must be from 1 to 16"),
        ({"turns": 1e9}, "must be from 1 to 16"),
        ({"turns": "3"}, "must be from 1 to 16"),
        ({"final": "first"}, "must be 'last' or 'best'"),
        (
            {"task": "sobench", "inputs": {"schema": {"type": "object"}}, "target": {"answer": {}}},
            "has no turns",
        ),
        ({"completion": "x"}, "there is no field 'completion'"),
        ({"reference": {"instance": "nobody"}, "inputs": None}, "holds no instance 'nobody'"),
        ({"assets": {"../x": "eA=="}}, "assets"),
        ([], "the body is no object"),
    ],
)
async def test_what_is_no_episode_is_refused_with_its_fault(body: Any, told: str) -> None:
    async with episodes_before(draws_at_once) as client:
        said = {**OPENING, **body} if isinstance(body, dict) else body
        refused = await client.post("/v1/episodes", json=said)
        assert refused.status_code == 400, refused.text
        assert told in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    "body", [DEEP, "{}", '{"completion": 1}', "[", '{"completion": "x", "more": 1}', '"\\ud800"']
)
async def test_what_is_no_answer_is_refused_and_uses_no_turn(body: str) -> None:
    async with episodes_before(draws_at_once) as client:
        path = f"/v1/episodes/{await begun(client)}"
        headers = {"Content-Type": "application/json"}
        assert (await client.post(f"{path}/step", content=body, headers=headers)).status_code == 400
        assert (await client.get(path)).json()["turn"] == 0


async def test_a_page_of_another_origin_can_neither_begin_nor_end_an_episode() -> None:
    async with episodes_before(draws_at_once) as client:
        path = f"/v1/episodes/{await begun(client)}"
        origin = {"Origin": "https://evil.example"}
        assert (await client.post("/v1/episodes", json=OPENING, headers=origin)).status_code == 403
        assert (await client.delete(path, headers=origin)).status_code == 403
        assert (await client.get(path)).status_code == 200


async def test_questions_steps_and_states_are_as_they_are_described() -> None:
    described = openapi()
    registry = Registry().with_resource(
        "urn:gateway",
        Resource.from_contents({"$schema": "https://json-schema.org/draft/2020-12/schema", **described}),
    )

    def check(name: str, said: object) -> None:
        schema = {"$ref": f"urn:gateway#/components/schemas/{name}"}
        Draft202012Validator(schema, registry=registry).validate(said)

    assert {"/v1/episodes", "/v1/episodes/{id}", "/v1/episodes/{id}/step"} <= set(described["paths"])
    async with episodes_before(fails_at_two) as client:
        check("EpisodeOpening", {**OPENING, "turns": 2})
        question = (await client.post("/v1/episodes", json={**OPENING, "turns": 2})).json()
        check("EpisodeQuestion", question)
        path = f"/v1/episodes/{question['id']}"
        for number in (2, 1):
            check("EpisodeStep", (await client.post(f"{path}/step", json=answer(number))).json())
        check("EpisodeState", (await client.get(path)).json())


async def test_no_episode_is_kept_while_no_service_says_that_it_knows_the_caller() -> None:
    async with episodes_of("127.0.0.1:1") as client:
        made = await client.post("/v1/episodes", json=OPENING)
        assert (made.status_code, made.json()["error"]["status"]) == (503, "UNAVAILABLE")
