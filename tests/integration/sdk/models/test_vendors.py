"""The vendors' own packages against a server that speaks their wires."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.models import (
    Finish,
    ModelAccessError,
    ModelFailedError,
    ModelOptions,
    ModelRefusedError,
    close_model,
    open_model,
)
from questions import complete

from .conftest import ModelServer, answer_to

pytestmark = pytest.mark.integration

#: Vendor, and what its package puts behind the base URL.
VENDORS = {"openai": "/v1", "anthropic": "", "google": ""}
vendors = pytest.mark.parametrize("vendor", VENDORS)


def _options(server: ModelServer, vendor: str, **more: object) -> ModelOptions:
    given: dict[str, object] = {
        "base_url": server.base + VENDORS[vendor],
        "call_seconds": 60.0,
        "first_pause": 0.01,
        "longest_pause": 0.02,
        "cache": None,
    }
    return ModelOptions(**{**given, **more})  # type: ignore[arg-type]


@vendors
async def test_the_model_sees_prompt_picture_and_parameters(
    server: ModelServer, instances: Callable[[int], list[Instance]], vendor: str
) -> None:
    model = open_model(f"{vendor}/some-model", _options(server, vendor, max_tokens=77))
    completion = await complete(model, instances(1)[0])
    await close_model(model)
    (asked,) = server.requests
    assert asked.wire == vendor
    assert asked.text == "Be short.\nWrite LaTeX."
    assert asked.question == "question-0"
    assert completion.text == answer_to("question-0")
    assert (completion.tokens_in, completion.tokens_out) == (110, 20)
    assert (completion.finish, completion.served, completion.attempts) == (Finish.STOP, "served-1", 1)
    assert completion.cost is None  # not the vendor's own server: nobody knows its price
    if vendor == "google":
        assert asked.path.endswith("/models/some-model:generateContent")
        sent = asked.body["generationConfig"]
        assert (sent["temperature"], sent["maxOutputTokens"]) == (0.0, 77)
    else:
        assert asked.body["model"] == "some-model"
        assert (asked.body["temperature"], asked.body["max_tokens"]) == (0.0, 77)


@vendors
async def test_further_options_of_a_call_are_sent_as_each_vendor_names_them(
    server: ModelServer, instances: Callable[[int], list[Instance]], vendor: str
) -> None:
    chosen: dict[str, Any] = {
        "temperature": None,
        "top_p": 0.9,
        "stop": ("END", "\n\n\n"),
        "reasoning_effort": "low",
        "extra_body": {"thing": {"a": [1]}},
    }
    if vendor != "anthropic":
        chosen["seed"] = 7
    model = open_model(f"{vendor}/m", _options(server, vendor, **chosen))
    await complete(model, instances(1)[0])
    await close_model(model)
    (asked,) = server.requests
    sent = asked.body
    assert sent["thing"] == {"a": [1]}
    match vendor:
        case "openai":
            assert (sent["top_p"], sent["seed"], sent["stop"]) == (0.9, 7, ["END", "\n\n\n"])
            assert sent["reasoning_effort"] == "low"
        case "anthropic":
            assert (sent["top_p"], sent["stop_sequences"]) == (0.9, ["END", "\n\n\n"])
            assert sent["output_config"] == {"effort": "low"}
        case "google":
            config = sent["generationConfig"]
            assert (config["topP"], config["seed"]) == (0.9, 7)
            assert config["stopSequences"] == ["END", "\n\n\n"]
            assert list(config["thinkingConfig"].values()) == ["LOW"]


@vendors
async def test_a_temperature_of_none_is_not_sent(
    server: ModelServer, instances: Callable[[int], list[Instance]], vendor: str
) -> None:
    model = open_model(f"{vendor}/m", _options(server, vendor, temperature=None))
    await complete(model, instances(1)[0])
    await close_model(model)
    assert "temperature" not in str(server.requests[0].body)


@vendors
@pytest.mark.parametrize(
    "trouble",
    ["status:429,0", "status:500", "status:503", "drop", "cut", "nonsense:<p>", "nonsense:{}", "nonsense:[]"],
)
async def test_one_attempt_of_ours_is_one_request_and_the_next_is_answered(
    server: ModelServer, instances: Callable[[int], list[Instance]], vendor: str, trouble: str
) -> None:
    server.behaviour = lambda asked, before: trouble if before < 2 else "answer"
    model = open_model(f"{vendor}/m", _options(server, vendor))
    completion = await complete(model, instances(1)[0])
    await close_model(model)
    assert completion.text == answer_to("question-0")
    assert (completion.attempts, server.came.total(), server.completed.total()) == (3, 3, 1)


@vendors
async def test_a_call_that_hangs_is_left_and_made_again(
    server: ModelServer, instances: Callable[[int], list[Instance]], vendor: str
) -> None:
    server.behaviour = lambda asked, before: (
        "hang" if asked.question == "question-0" and not before else "answer"
    )
    model = open_model(f"{vendor}/m", _options(server, vendor, call_seconds=3.0))
    lost, later = instances(2)
    call = asyncio.create_task(complete(model, lost))
    while not server.came["question-0"]:
        await asyncio.sleep(0.01)
    await complete(model, later)  # by which the server shows that it works on several calls at once
    completion = await call
    await close_model(model)
    assert completion.text == answer_to("question-0")
    assert completion.attempts == server.came["question-0"] >= 2  # more on a machine that is very slow


@vendors
@pytest.mark.parametrize("how", ["field", "prompt"])
async def test_a_refusal_is_the_models_answer_and_has_its_price(
    server: ModelServer, instances: Callable[[int], list[Instance]], tmp_path: Path, vendor: str, how: str
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(f'[servers."{server.base}{VENDORS[vendor]}"]\n"{vendor}/*" = {{ in = 1, out = 1 }}\n')
    server.behaviour = lambda asked, before: f"refuse:{how}"
    model = open_model(f"{vendor}/m", _options(server, vendor, prices=prices))
    with pytest.raises(ModelRefusedError) as raised:
        await complete(model, instances(1)[0])
    await close_model(model)
    completion = raised.value.completion
    assert (completion.finish, completion.attempts, server.came.total()) == (Finish.REFUSED, 1, 1)
    tokens = 110 + (0 if (vendor, how) == ("google", "prompt") else 20)
    assert completion.cost == tokens / 1e6


@vendors
async def test_a_wrong_key_ends_the_run_and_a_wrong_request_the_sample(
    server: ModelServer, instances: Callable[[int], list[Instance]], vendor: str
) -> None:
    (instance,) = instances(1)
    model = open_model(f"{vendor}/m", _options(server, vendor))
    server.behaviour = lambda asked, before: "status:401"
    with pytest.raises(ModelAccessError, match=r"because of 401.*--key-env"):
        await complete(model, instance)
    server.behaviour = lambda asked, before: "status:400"
    with pytest.raises(ModelFailedError, match="because of 400"):
        await complete(model, instance)
    await close_model(model)
    assert server.came.total() == 2


async def test_google_says_in_the_body_when_to_come_back(
    server: ModelServer, instances: Callable[[int], list[Instance]]
) -> None:
    details = '{"code": 429, "message": "slow down", "details": [{"retryDelay": "7200s"}]}'
    server.behaviour = lambda asked, before: f"error:429,{details}"
    model = open_model("google/m", _options(server, "google"))
    with pytest.raises(ModelFailedError, match="come back after 7200 s"):
        await complete(model, instances(1)[0])
    await close_model(model)
    assert server.came.total() == 1


LONG_ANSWERS = {
    "openai": '{"choices": [{"message": {"content": "%s"}, "finish_reason": "stop"}]}',
    "anthropic": '{"type": "message", "content": [{"type": "text", "text": "%s"}], "stop_reason": null}',
    "google": '{"candidates": [{"content": {"parts": [{"text": "%s"}]}, "finishReason": "STOP"}]}',
}


@vendors
@pytest.mark.parametrize("length", [101, 3_000_000])
async def test_an_answer_that_is_too_long_is_known_as_such_and_not_asked_for_again(
    server: ModelServer, instances: Callable[[int], list[Instance]], vendor: str, length: int
) -> None:
    server.behaviour = lambda asked, before: "nonsense:" + LONG_ANSWERS[vendor] % ("x" * length)
    model = open_model(f"{vendor}/some-model", _options(server, vendor, completion_characters=100))
    (one,) = instances(1)
    try:
        completion = await complete(model, one)
    finally:
        await close_model(model)
    assert completion.finish is Finish.TOO_LONG
    assert len(completion.text) <= 1000
    assert server.done["nonsense"] == 1


@vendors
async def test_an_answer_that_is_nested_too_deeply_is_a_failed_attempt(
    server: ModelServer, instances: Callable[[int], list[Instance]], vendor: str
) -> None:
    server.behaviour = lambda asked, before: "nonsense:" + "[" * 200_000 + "]" * 200_000
    model = open_model(f"{vendor}/some-model", _options(server, vendor, failures=1))
    (one,) = instances(1)
    try:
        with pytest.raises(ModelFailedError):
            await complete(model, one)
    finally:
        await close_model(model)


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
async def test_a_server_of_this_machine_is_not_asked_through_a_proxy(
    server: ModelServer,
    instances: Callable[[int], list[Instance]],
    vendor: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # where nobody listens
    model = open_model(f"{vendor}/some-model", _options(server, vendor))
    completion = await complete(model, instances(1)[0])
    await close_model(model)
    assert completion.text == answer_to("question-0")
