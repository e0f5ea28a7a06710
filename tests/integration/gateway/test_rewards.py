"""Rewards by HTTP with real services: the values are those of the same reward in Python."""

from __future__ import annotations

import asyncio
import base64
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway_process import PATIENCE, gateway_process
from i2s_chassis.contract.process import started
from i2s_sdk import Settings
from i2s_sdk.data import Instance, read_folder
from i2s_training import RoundTripReward

pytestmark = pytest.mark.integration

LINES = {"Accept": "application/x-ndjson"}
BROKEN = r"\begin{equation} \frac{1}{ \end{equation}"
OPTIONS: dict[str, Any] = {
    "weights": {"ems": 3.0, "edit": 1.0},
    "failed": -0.5,
    "normalize": True,
    "clip": True,
}


@pytest.fixture(scope="module")
def client(
    light_endpoints: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("gateway")
    with gateway_process(folder, light_endpoints, "render-latex", "metrics") as (_, opened):
        yield opened


@pytest.fixture(scope="module")
def posterior(running: Settings) -> Instance:
    assert running.examples is not None
    return read_folder(running.examples).instances[0]


@pytest.fixture(scope="module")
def truth(posterior: Instance) -> str:
    assert posterior.structure is not None
    return posterior.structure.read_text()


def post(client: httpx.Client, items: list[dict[str, Any]], **options: Any) -> Any:
    answer = client.post("/v1/reward", json={"items": items, **options})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_values_are_those_of_python(
    client: httpx.Client, running_without_networks: Settings, posterior: Instance, truth: str
) -> None:
    answers = [
        truth,
        truth.replace(r"\tau", "x"),
        BROKEN,
        "I'm sorry, but I can't help with transcribing this image.",
        r"\phantom{x}",
        "<think>It may be",
        truth,
        r"\[ \text{something else} \]",
    ]
    image = posterior.image.read_bytes() if posterior.image else b""
    reward = RoundTripReward(**OPTIONS, settings=running_without_networks)
    wanted = reward(
        completions=answers,
        image=[image] * len(answers),
        structure=[truth] * len(answers),
        floor=[0.5] * len(answers),
    )
    reward.close()
    (digest,) = client.post(
        "/v1/references", json={"references": [{"image": base64.b64encode(image).decode()}]}
    ).json()["digests"]
    given: list[dict[str, Any]] = [{"digest": digest}, {"image": base64.b64encode(image).decode()}]
    for reference in given:
        items = [
            {"completion": answer, "reference": reference, "structure": truth, "floor": 0.5}
            for answer in answers
        ]
        found = post(client, items, **OPTIONS)
        assert [item["value"] for item in found["items"]] == wanted
        assert found["totals"]["unique_rendered"] == len(answers) - 1
    verdicts = [item["verdict"] for item in found["items"]]
    assert verdicts[:3] == ["RENDERED", "RENDERED", "COMPILE_ERROR"]
    assert found["items"][2]["first_error"]["message"]
    gates = [[gate["name"] for gate in item["parts"]["gates"]] for item in found["items"]]
    assert gates[3:6] == [["refusal"], ["blank"], ["cut_off"]]
    assert found["items"][0]["usage"]["cpu_seconds"] > 0


def test_an_instance_is_named_by_its_id_and_groups_are_ranked(
    client: httpx.Client, posterior: Instance, truth: str
) -> None:
    reference = {"instance": posterior.id}
    items = [
        {"messages": [{"role": "assistant", "content": one}], "reference": reference}
        for one in (truth, BROKEN)
    ]
    found = post(client, items, group=True, metrics=["ssim"])
    assert [item["value"] for item in found["items"]] == [1.0, 0.0]
    assert [item["group"]["rank"] for item in found["items"]] == [1.0, 2.0]
    assert found["items"][0]["parts"]["metrics"]["ssim"] == 1.0


def test_lines_are_the_same_items(client: httpx.Client, posterior: Instance, truth: str) -> None:
    items = [
        {"completion": one, "reference": {"instance": posterior.id}} for one in (truth, BROKEN, r"\[ x \]")
    ]
    whole = post(client, items)
    streamed = client.post("/v1/reward", json={"items": items}, headers=LINES)
    *lines, last = [json.loads(line) for line in streamed.text.splitlines()]
    assert last["totals"]["valid"] == 3
    by_index = {line["index"]: line["value"] for line in lines}
    assert [by_index[at] for at in range(3)] == [item["value"] for item in whole["items"]]


def test_what_a_dead_service_leaves_is_not_valid(
    light_endpoints: dict[str, str], posterior: Instance, truth: str, tmp_path: Path
) -> None:
    items = [{"completion": f"{truth}\n% {at}", "reference": {"instance": posterior.id}} for at in range(8)]
    with started("i2s_metrics", tmp_path, []) as service:
        environment = {
            **light_endpoints,
            "I2S_METRICS": service.address,
            "I2S_RETRY_SECONDS": "2",
        }
        with gateway_process(tmp_path, environment, "render-latex", "metrics") as (_, client):
            assert post(client, items)["totals"]["valid"] == 8
            service.process.terminate()
            service.process.wait(60)
            found = post(client, items)
    assert [item["value"] for item in found["items"]] == [None] * 8
    assert {item["reason"]["fault"] for item in found["items"]} == {"infrastructure"}


def test_many_callers_at_once_have_their_own_values(
    client: httpx.Client, posterior: Instance, truth: str
) -> None:
    async def all_of_them() -> list[list[float]]:
        async with httpx.AsyncClient(base_url=client.base_url, timeout=PATIENCE) as shared:

            async def one(caller: int) -> list[float]:
                answers = [truth if (caller + at) % 2 else BROKEN for at in range(4)]
                items = [{"completion": text, "reference": {"instance": posterior.id}} for text in answers]
                headers = {"Authorization": f"Bearer caller-{caller}"}
                answer = await shared.post("/v1/reward", json={"items": items}, headers=headers)
                return [item["value"] for item in answer.json()["items"]]

            return await asyncio.gather(*(one(caller) for caller in range(6)))

    for caller, values in enumerate(asyncio.run(all_of_them())):
        assert values == [float((caller + at) % 2) for at in range(4)]


def test_the_example_for_trainers_sends_references_once_and_masks_what_is_not_valid(
    client: httpx.Client, posterior: Instance, truth: str
) -> None:
    path = Path(__file__).resolve().parents[3] / "examples/integrations/http_reward.py"
    spec = importlib.util.spec_from_file_location("http_reward", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    reward = module.HttpReward(str(client.base_url), token="t", seconds=120, weights={"ems": 1.0})
    columns = {"image": [str(posterior.image)] * 3, "trainer_state": None}
    answers = [truth, BROKEN, [{"role": "assistant", "content": truth}]]
    assert reward(prompts=["p"] * 3, completions=answers, **columns) == [1.0, 0.0, 1.0]
    values, mask = reward.masked([truth, truth], image=[str(posterior.image)] * 2, floor=[0.5, 2.0])
    assert (values, mask) == ([0.5, 0.0], [1.0, 0.0])
