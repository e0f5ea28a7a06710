"""Rewards by HTTP: order, validity, deadlines, callers. No engine is needed for them."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import grpc
import httpx
import pytest
from jsonschema import Draft202012Validator
from prometheus_client.parser import text_string_to_metric_families

from i2s.render.v1 import render_pb2 as pb
from i2s_client.credentials import Token
from i2s_gateway import reward_scorers
from i2s_gateway.openapi import openapi
from i2s_training import StructuredOutputReward
from i2s_training.batch_reward import Reward, RewardRequest
from i2s_training.reward import RoundTripReward
from served_rewards import drawn, draws_at_once, latex_gateway, picture, rewards_before, rewards_of, said

LINES = {"Accept": "application/x-ndjson"}


def body(*items: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {"items": list(items), **options}


def validate(value: object, name: str) -> None:
    schemas = json.dumps(openapi()["components"]["schemas"]).replace("#/components/schemas/", "#/$defs/")
    Draft202012Validator({"$defs": json.loads(schemas), "$ref": f"#/$defs/{name}"}).validate(value)


async def posted(client: httpx.AsyncClient, *items: dict[str, Any], **options: Any) -> Any:
    asked = body(*items, **options)
    answer = await client.post("/v1/reward", json=asked)
    assert answer.status_code == 200, answer.text
    validate(asked, "RewardBatch")
    validate(answer.json(), "RewardAnswers")
    return answer.json()


async def test_values_are_those_of_the_reward_in_python_in_the_order_of_the_items():
    answers = ['{"a": 1}', '{"a": 2}', "I cannot.", '{"a": 1, "b": 2}']
    async with rewards_of({}) as client:
        found = await posted(client, *(said(answer, id=f"n{at}") for at, answer in enumerate(answers)))
    reward = StructuredOutputReward()
    wanted = await reward.call_async(
        None, answers, schema=[{"type": "object"}] * len(answers), answer=[{"a": 1}] * len(answers)
    )
    await asyncio.to_thread(reward.close)
    assert [item["value"] for item in found["items"]] == wanted
    assert [(item["index"], item["id"]) for item in found["items"]] == [(at, f"n{at}") for at in range(4)]
    assert found["totals"]["items"] == found["totals"]["valid"] == 4


async def test_a_fault_of_the_data_is_not_valid_and_has_no_number():
    async with rewards_of({}) as client:
        broken = {**said("{}"), "target": {"gold": 1}}
        found = await posted(client, broken, said('{"a": 1}'), said('{"a": 1}', floor=2.0))
    first, second, third = found["items"]
    assert (first["valid"], first["value"], first["reason"]["fault"]) == (False, None, "data")
    assert "target" in first["reason"]["message"]
    assert (second["valid"], second["value"], second["reason"]) == (True, 1.0, None)
    assert (third["valid"], third["reason"]["kind"]) == (False, "data")
    assert (found["totals"]["invalid"], found["totals"]["unique_rendered"]) == (2, 1)


async def test_a_reference_that_is_no_image_is_said_without_advice_for_data_sets():
    async with latex_gateway() as client:
        found = await posted(client, {"completion": "$x$", "reference": {"image": "aaaa"}})
    (item,) = found["items"]
    assert "the reference is not an image" in item["reason"]["message"]
    assert "dataset" not in item["reason"]["message"]
    assert found["totals"]["unique_rendered"] == 0


async def test_equal_answers_and_equal_documents_are_rendered_once():
    asked = []

    async def counts(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        if request.WhichOneof("source"):
            asked.append(request.id)
        return picture()

    async with rewards_before(counts) as client:
        same = drawn(1)
        other_words = {**same, "completion": f"Here it is:\n\n{same['completion']}"}
        found = await posted(client, same, same, drawn(2), other_words)
    assert len(asked) == 2
    assert found["totals"]["unique_rendered"] == 3
    assert [item["value"] for item in found["items"]] == [1.0] * 4
    assert [item["usage"]["cpu_seconds"] for item in found["items"]].count(0.25) == 3
    assert [item["usage"]["renders"] for item in found["items"]].count(0) == 1


async def test_items_are_sent_as_they_are_done_and_the_totals_last():
    go = asyncio.Event()

    async def waits(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        if b"plot(0)" in request.python.program:
            await go.wait()
        return picture()

    async with (
        rewards_before(waits, retry_seconds=60) as client,
        client.stream("POST", "/v1/reward", json=body(drawn(0), drawn(1)), headers=LINES) as answer,
    ):
        assert answer.headers["content-type"] == "application/x-ndjson"
        lines = answer.aiter_lines()
        assert json.loads(await anext(lines))["index"] == 1
        go.set()
        assert json.loads(await anext(lines))["index"] == 0
        assert json.loads(await anext(lines))["totals"]["valid"] == 2
        assert [line async for line in lines] == []


@pytest.mark.slow
async def test_what_is_not_done_at_the_deadline_is_not_valid_and_its_job_ends():
    begun, ended = asyncio.Event(), asyncio.Event()

    async def slow(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        if b"plot(0)" in request.python.program:
            begun.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                ended.set()
                raise
        return picture()

    async with rewards_before(slow, retry_seconds=60) as client:
        found = await posted(client, drawn(0), drawn(1), deadline_seconds=4)
        first, second = found["items"]
        assert (first["value"], first["valid"]) == (None, False)
        assert (first["reason"]["fault"], first["reason"]["kind"]) == ("infrastructure", "deadline")
        assert "within deadline_seconds (4 s)" in first["reason"]["message"]
        assert second["valid"]
        assert begun.is_set()
        await asyncio.wait_for(ended.wait(), 1)


@pytest.mark.parametrize("headers", [{}, LINES])
async def test_a_caller_that_goes_away_takes_its_jobs_with_it(headers: dict[str, str]) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def slow(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        if request.WhichOneof("source"):
            begun.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                ended.set()
                raise
        return picture()

    async with rewards_before(slow) as client:
        sending = asyncio.create_task(client.post("/v1/reward", json=body(drawn(0)), headers=headers))
        await asyncio.wait_for(begun.wait(), 10)
        sending.cancel()
        await asyncio.wait_for(ended.wait(), 1)


async def test_a_service_that_is_gone_makes_no_zero():
    gone = {"render-python": "127.0.0.1:1", "render-latex": "127.0.0.1:1"}
    async with rewards_of(gone, retry_seconds=0.5) as client:
        found = await posted(client, drawn(0), drawn(1), said('{"a": 1}'))
    assert [item["value"] for item in found["items"]] == [None, None, 1.0]
    assert [item["valid"] for item in found["items"]] == [False, False, True]
    assert found["items"][0]["reason"]["kind"] == "unavailable"


async def test_a_job_that_is_killed_each_time_makes_no_zero():
    async def killed(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        if b"plot(0)" in request.python.program:
            await context.abort(grpc.StatusCode.ABORTED, "something outside killed it")
        return picture()

    async with rewards_before(killed) as client:
        found = await posted(client, drawn(0), drawn(1))
    assert [item["value"] for item in found["items"]] == [None, 1.0]
    assert found["items"][0]["reason"]["kind"] == "service_fault"


async def test_a_slow_answer_holds_up_no_other_caller():
    begun, go = asyncio.Event(), asyncio.Event()

    async def waits(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        if b"plot(0)" in request.python.program:
            begun.set()
            await go.wait()
        return picture()

    async with rewards_before(waits, retry_seconds=60, reward_jobs=2) as client:
        slow = asyncio.create_task(posted(client, drawn(0), *(drawn(at) for at in range(2, 40))))
        await asyncio.wait_for(begun.wait(), 10)
        other = await client.post(
            "/v1/reward", json=body(drawn(1)), headers={"Authorization": "Bearer other"}
        )
        assert other.json()["items"][0]["value"] == 1.0
        go.set()
        assert (await slow)["totals"]["valid"] == 39


async def test_services_are_shown_the_credentials_of_the_caller_and_never_those_of_the_gateway():
    shown: set[tuple[bool, str | None]] = set()

    async def notes(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        metadata = dict(context.invocation_metadata())
        shown.add((bool(request.WhichOneof("source")), metadata.get("authorization")))
        return picture()

    async with rewards_before(notes, token=Token("own", "")) as client:
        for headers in ({"Authorization": "Bearer theirs"}, {}):
            answer = await client.post("/v1/reward", json=body(drawn(0)), headers=headers)
            assert answer.json()["totals"]["valid"] == 1
    assert shown == {(True, "Bearer theirs"), (False, "Bearer theirs"), (True, None), (False, None)}


@pytest.mark.parametrize("headers", [{}, LINES])
@pytest.mark.parametrize(
    ("status", "http"), [(grpc.StatusCode.UNAUTHENTICATED, 401), (grpc.StatusCode.PERMISSION_DENIED, 403)]
)
async def test_a_caller_whom_a_service_does_not_know_is_refused(
    status: grpc.StatusCode, http: int, headers: dict[str, str]
) -> None:
    async def refuses(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        await context.abort(status, "who are you?")
        return picture()

    async with rewards_before(refuses) as client:
        answer = await client.post("/v1/reward", json=body(drawn(0)), headers=headers)
        assert (answer.status_code, answer.json()["error"]["status"]) == (http, status.name)
        kept = await client.post("/v1/references", json={"references": [{"image": "aaaa"}]})
        assert kept.status_code == http


async def test_a_token_is_not_sent_to_a_service_without_tls():
    async with rewards_of({"render-python": "10.0.0.7:1", "render-latex": "10.0.0.7:1"}) as client:
        answer = await client.post(
            "/v1/reward", json=body(drawn(0)), headers={"Authorization": "Bearer theirs"}
        )
    assert (answer.status_code, answer.json()["error"]["status"]) == (502, "FAILED_PRECONDITION")
    assert "theirs" not in answer.text


async def test_ranks_and_centred_values_are_of_the_valid_answers_of_a_group():
    items = [said('{"a": 1}', group="x"), said('{"a": 2}', group="x"), said('{"a": 1}', group="y")]
    broken = {**said("{}", group="x"), "target": {"gold": 1}}
    async with rewards_of({}) as client:
        found = await posted(client, *items, broken, group=True)
        places = [item["group"] for item in found["items"]]
        assert places[:3] == [
            {"rank": 1.0, "size": 2, "centred": 0.5},
            {"rank": 2.0, "size": 2, "centred": -0.5},
            {"rank": 1.0, "size": 1, "centred": 0.0},
        ]
        assert places[3] is None
        streamed = await client.post("/v1/reward", json=body(*items, broken, group=True), headers=LINES)
    *lines, last = (json.loads(line) for line in streamed.text.splitlines())
    for line in lines:
        validate(line, "RewardAnswer")
    validate(last, "RewardTotals")
    assert {group["index"]: group["rank"] for group in last["groups"]} == {0: 1.0, 1: 2.0, 2: 1.0}


async def test_refusals_and_answers_that_are_cut_off_are_named():
    async with rewards_before(draws_at_once) as client:
        refused = {**drawn(0), "completion": "I'm sorry, but I can't help with that."}
        open_fence = {**drawn(0), "completion": "```python\nplot(0)\n"}
        found = await posted(client, refused, open_fence, {**drawn(1), "finish": "length"}, drawn(2))
    gates = [[gate["name"] for gate in item["parts"]["gates"]] for item in found["items"]]
    assert gates == [["refusal"], ["cut_off"], ["cut_off"], []]
    assert [item["value"] for item in found["items"]] == [0.0, 1.0, 1.0, 1.0]


async def test_answers_are_counted_by_task_and_by_why_they_have_no_value():
    with socket.create_server(("127.0.0.1", 0)) as held:
        listen = f"127.0.0.1:{held.getsockname()[1]}"
    async with (
        rewards_of({}, metrics_listen=listen) as client,
        httpx.AsyncClient(base_url=f"http://{listen}") as prometheus,
    ):
        await posted(client, said('{"a": 1}'), said("I cannot."), {**said("{}"), "target": {"gold": 1}})
        told = (await prometheus.get("/metrics")).text
    counted = {
        sample.labels["outcome"]: sample.value
        for family in text_string_to_metric_families(told)
        for sample in family.samples
        if sample.name == "i2s_gateway_rewards_total" and sample.labels["task"] == "sobench"
    }
    assert counted == {"valid": 2, "data": 1}
    assert "i2s_gateway_reward_answers{" in told


async def test_images_are_kept_only_for_a_caller_that_shows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    results = []

    class Seen(RoundTripReward):
        def reward_of(self, asked: RewardRequest, result: Any) -> Reward:
            results.append(result)
            return super().reward_of(asked, result)

    monkeypatch.setattr(reward_scorers, "RoundTripReward", Seen)
    async with rewards_before(draws_at_once) as client:
        assert (await posted(client, drawn(1), drawn(2)))["totals"]["valid"] == 2
    assert [one.png for one in results] == [None, None]
