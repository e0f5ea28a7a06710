"""The batch APIs of two vendors, by their own packages, against a server that speaks their wires."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from batch_server import BatchServer
from i2s_sdk.data import Instance
from i2s_sdk.models import ModelOptions, close_model, open_model
from i2s_sdk.models.completion import ModelFailedError
from i2s_sdk.models.model import Finish, Model
from i2s_sdk.models.options import Batching
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.index import marked_calls
from i2s_sdk.settings import Settings
from named_pictures import name_of
from questions import complete

pytestmark = pytest.mark.integration

#: Vendor, and what its package puts behind the base URL.
VENDORS = {"openai": "/v1", "anthropic": ""}
vendors = pytest.mark.parametrize("vendor", VENDORS)

Instances = Callable[[int], list[Instance]]


def _question(body: dict[str, Any]) -> str:
    """Return the name of the image in a request."""
    blocks = body["messages"][-1]["content"]
    for block in blocks:
        if "image_url" in block:
            return name_of(base64.b64decode(block["image_url"]["url"].partition(",")[2]))
        if "source" in block:
            return name_of(base64.b64decode(block["source"]["data"]))
    raise AssertionError(f"a request without a picture: {body}")


@pytest.fixture
def batches() -> Iterator[BatchServer]:
    with BatchServer(text=lambda body: f"about {_question(body)}").serving() as server:
        yield server


def _model(server: BatchServer, vendor: str, cache: Path | None, *, size: int = 1000, **more: Any) -> Model:
    batching = Batching(requests=size, gather_seconds=0.05, poll_seconds=0.02)
    options = ModelOptions(
        base_url=server.base + VENDORS[vendor],
        cache=cache,
        batching=batching,
        first_pause=0.01,
        longest_pause=0.02,
        **more,
    )
    return open_model(f"{vendor}/some-model", options)


async def _texts(model: Model, instances: list[Instance]) -> list[str]:
    return [one.text for one in await asyncio.gather(*(complete(model, instance) for instance in instances))]


@vendors
async def test_each_question_has_the_answer_to_itself(
    batches: BatchServer, instances: Instances, tmp_path: Path, vendor: str
) -> None:
    model = _model(batches, vendor, tmp_path / "cache", max_tokens=77, stop=("END",))
    completions = await asyncio.gather(*(complete(model, instance) for instance in instances(5)))
    await close_model(model)
    assert [completion.text for completion in completions] == [
        f"about question-{index}" for index in range(5)
    ]
    first = completions[0]
    assert (first.tokens_in, first.tokens_out, first.served) == (3, 4, "served-1")
    assert (first.finish, first.attempts, first.cached) == (Finish.STOP, 1, False)
    (batch,) = batches.batches.values()
    body = next(iter(batch.entries.values()))["body" if vendor == "openai" else "params"]
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("some-model", 77, 0.0)
    assert not [name for name in body if name.startswith("extra_")]
    if vendor == "anthropic":  # the version of the protocol that takes a temperature
        assert batch.headers["anthropic-version"] == "2023-06-01"
    assert not list((tmp_path / "cache" / "batches").iterdir())


@vendors
async def test_a_full_batch_is_sent_and_the_rest_follows(
    batches: BatchServer, instances: Instances, tmp_path: Path, vendor: str
) -> None:
    model = _model(batches, vendor, tmp_path / "cache", size=3)
    texts = await _texts(model, instances(8))
    await close_model(model)
    assert texts == [f"about question-{index}" for index in range(8)]
    assert sorted(len(batch.entries) for batch in batches.batches.values()) == [2, 3, 3]


@vendors
async def test_a_run_that_was_stopped_waits_for_the_batch_that_it_sent(
    batches: BatchServer, instances: Instances, tmp_path: Path, vendor: str
) -> None:
    batches.hold = True
    asked = instances(4)
    model = _model(batches, vendor, tmp_path / "cache")
    waiting = asyncio.gather(*(complete(model, one) for one in asked))
    while not batches.polls:
        await asyncio.sleep(0.01)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await close_model(model)
    batches.finish()
    model = _model(batches, vendor, tmp_path / "cache")
    assert await _texts(model, asked[:2]) == ["about question-0", "about question-1"]
    while any((tmp_path / "cache" / "batches").iterdir()):  # until all results are read
        await asyncio.sleep(0.01)
    await close_model(model)
    assert len(batches.batches) == 1
    model = _model(batches, vendor, tmp_path / "cache")  # the results that nobody waited for were kept
    completion = await complete(model, asked[3])
    await close_model(model)
    assert (completion.text, completion.cached) == ("about question-3", True)
    assert len(batches.batches) == 1


@vendors
async def test_without_an_answer_cache_a_run_that_was_stopped_waits_for_its_batch_and_another_sends_its_own(
    batches: BatchServer, instances: Instances, tmp_path: Path, vendor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    batches.hold = True
    asked = instances(3)
    with RunFolder.open(tmp_path / "run", Settings()) as folder:
        model = _model(batches, vendor, None)
        with marked_calls(model, folder.calls):
            waiting = asyncio.gather(*(complete(model, one) for one in asked))
            while not batches.polls:
                await asyncio.sleep(0.01)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            await close_model(model)
        batches.finish()
        for some in (asked[:2], asked[2:]):  # the answer that the first of these starts leaves is not lost
            model = _model(batches, vendor, None)
            with marked_calls(model, folder.calls):
                assert await _texts(model, some) == [
                    f"about {name_of(one.image.read_bytes())}" for one in some
                ]
            await close_model(model)
        assert len(batches.batches) == 1
    assert not list((tmp_path / "i2s" / "answers" / "batches").iterdir())
    batches.hold, batches.polls = True, 0
    with RunFolder.open(tmp_path / "first", Settings()) as folder:
        model = _model(batches, vendor, None)
        with marked_calls(model, folder.calls):
            waiting = asyncio.gather(complete(model, asked[0]))
            while not batches.polls:
                await asyncio.sleep(0.01)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            await close_model(model)
    batches.finish()
    batches.text = lambda body: "of other weights"
    with RunFolder.open(tmp_path / "second", Settings()) as folder:
        model = _model(batches, vendor, None)
        with marked_calls(model, folder.calls):
            assert await _texts(model, asked[:1]) == ["of other weights"]
        await close_model(model)
    assert len(batches.batches) == 3


@vendors
async def test_a_call_in_a_batch_of_before_is_the_call_of_before(
    batches: BatchServer, instances: Instances, tmp_path: Path, vendor: str
) -> None:
    batches.hold = True
    (asked,) = instances(1)
    with RunFolder.open(tmp_path / "run", Settings()) as folder:
        model = _model(batches, vendor, tmp_path / "cache")
        with marked_calls(model, folder.calls):
            waiting = asyncio.create_task(complete(model, asked))
            while not batches.polls:
                await asyncio.sleep(0.01)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            await close_model(model)
        batches.finish()
        model = _model(batches, vendor, tmp_path / "cache")
        with marked_calls(model, folder.calls):
            completion = await complete(model, asked)
            await close_model(model)
        assert completion.attempts == 1
        assert folder.unanswered_calls() == {asked.id: 1}  # one, and this test writes no answer down


@vendors
async def test_a_batch_that_the_vendor_does_not_know_any_more_is_sent_again(
    batches: BatchServer, instances: Instances, tmp_path: Path, vendor: str
) -> None:
    batches.hold = True
    asked = instances(2)
    model = _model(batches, vendor, tmp_path / "cache")
    waiting = asyncio.gather(*(complete(model, one) for one in asked))
    while not batches.polls:
        await asyncio.sleep(0.01)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await close_model(model)
    batches.batches.clear()
    batches.finish()
    model = _model(batches, vendor, tmp_path / "cache")
    assert await _texts(model, asked) == ["about question-0", "about question-1"]
    await close_model(model)


async def test_a_batch_whose_answer_was_lost_is_found_by_its_name(
    batches: BatchServer, instances: Instances, tmp_path: Path
) -> None:
    batches.drop_sends = 1
    model = _model(batches, "openai", tmp_path / "cache")
    assert await _texts(model, instances(2)) == ["about question-0", "about question-1"]
    await close_model(model)
    assert len(batches.batches) == 1


@vendors
async def test_a_question_that_is_not_accepted_fails_alone(
    batches: BatchServer, instances: Instances, tmp_path: Path, vendor: str
) -> None:
    refusals: dict[str, dict[str, Any]] = {
        "openai": {"response": {"status_code": 400, "body": {"error": {"message": "too large"}}}},
        "anthropic": {
            "type": "errored",
            "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "too large"}},
        },
    }
    batches.result = lambda key, body: refusals[vendor] if _question(body) == "question-1" else None
    model = _model(batches, vendor, tmp_path / "cache")
    results = await asyncio.gather(
        *(complete(model, instance) for instance in instances(3)), return_exceptions=True
    )
    await close_model(model)
    assert isinstance(results[1], ModelFailedError)
    assert "too large" in results[1].message
    assert [getattr(result, "text", "") for result in results[::2]] == [
        "about question-0",
        "about question-2",
    ]


@vendors
async def test_a_question_that_expired_is_asked_again(
    batches: BatchServer, instances: Instances, tmp_path: Path, vendor: str
) -> None:
    expired: dict[str, dict[str, Any]] = {
        "openai": {"response": None, "error": {"code": "batch_expired", "message": "too late"}},
        "anthropic": {"type": "expired"},
    }
    batches.result = lambda key, body: expired[vendor] if len(batches.batches) == 1 else None
    model = _model(batches, vendor, tmp_path / "cache")
    completion = await complete(model, instances(1)[0])
    await close_model(model)
    assert (completion.text, completion.attempts) == ("about question-0", 2)
    assert len(batches.batches) == 2


async def test_a_batch_that_is_not_accepted_says_why(
    batches: BatchServer, instances: Instances, tmp_path: Path
) -> None:
    batches.hold = True
    model = _model(batches, "openai", tmp_path / "cache")
    waiting = asyncio.create_task(complete(model, instances(1)[0]))
    while not batches.batches:
        await asyncio.sleep(0.01)
    next(iter(batches.batches.values())).failed = ("invalid_model", "no batch for this model")
    with pytest.raises(ModelFailedError, match="no batch for this model"):
        await waiting
    await close_model(model)


@vendors
async def test_a_completion_beyond_the_bound_is_not_held(
    batches: BatchServer, instances: Instances, tmp_path: Path, vendor: str
) -> None:
    batches.text = lambda body: "x" * 5_000_000 if _question(body) == "question-0" else "short"
    model = _model(batches, vendor, tmp_path / "cache", completion_characters=1000)
    completions = await asyncio.gather(*(complete(model, instance) for instance in instances(2)))
    await close_model(model)
    assert [completion.finish for completion in completions] == [Finish.TOO_LONG, Finish.STOP]
    assert len(completions[0].text) <= 1000
