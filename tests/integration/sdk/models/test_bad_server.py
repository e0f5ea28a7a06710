"""A server that misbehaves changes no completion, no outcome and no bill, and is asked nothing twice."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.errors import ModelError
from i2s_sdk.models import (
    Completion,
    Finish,
    Model,
    ModelAccessError,
    ModelFailedError,
    ModelOptions,
    ModelRefusedError,
    close_model,
    open_model,
)
from i2s_sdk.models.provider import Answer
from i2s_sdk.models.provider_model import ProviderModel
from i2s_sdk.models.question import ReadQuestion
from named_pictures import name_of
from questions import complete

from .conftest import Asked, ModelServer, answer_to

pytestmark = pytest.mark.integration

NUMBER = 60
#: What goes wrong, without what takes as long as the time-out.
TROUBLE = (
    "status:429,0",
    "status:500",
    "status:503,0",
    "status:408",
    "drop",
    "cut",
    "nonsense:<html>gateway</html>",
    "nonsense:{",
    'nonsense:{"choices": []}',
    'nonsense:{"choices": [{"message": {"content": 7}}]}',
    'nonsense:{"error": {"message": "inside"}}',
)

Outcome = tuple[str, Completion | None, str]


def _options(server: ModelServer, **more: object) -> ModelOptions:
    given: dict[str, object] = {
        "base_url": f"{server.base}/v1",
        "call_seconds": 6.0,
        "first_pause": 0.01,
        "longest_pause": 0.05,
        "failures": 12,
        "concurrency": 8,
        "cache": None,
    }
    return ModelOptions(**{**given, **more})  # type: ignore[arg-type]


async def _all(model: Model, instances: list[Instance]) -> list[Outcome]:
    async def one(instance: Instance) -> Outcome:
        try:
            return "answered", await complete(model, instance), ""
        except ModelRefusedError as error:
            return "refused", error.completion, error.message
        except ModelError as error:
            return "failed", None, error.message

    try:
        return await asyncio.gather(*(one(instance) for instance in instances))
    finally:
        await close_model(model)


def _what_counts(outcome: Outcome) -> object:
    kind, completion, _ = outcome
    if completion is None:
        return kind
    tokens = completion.tokens_in, completion.tokens_out, completion.cost
    return kind, completion.text, completion.finish, tokens, completion.served


def _refusals(asked: Asked) -> str:
    number = int(asked.question.rpartition("-")[2])
    return {3: "refuse:field", 5: "refuse:filter"}.get(number % 20, "answer")


def _bad(asked: Asked, before: int) -> str:
    """Misbehave by dice that fall the same for the same question, and answer in the end."""
    if asked.question in ("question-1", "question-2") and before == 0:
        return "hang"
    if asked.question == "question-6" and before == 0:
        return "status:429,1"
    dice = random.Random(f"{asked.question} {before}")
    if before < 8 and dice.random() < 0.6:
        return dice.choice(TROUBLE)
    return _refusals(asked)


async def test_a_bad_server_gives_what_a_quiet_one_gives_and_is_asked_nothing_twice(
    server: ModelServer,
    instances: Callable[[int], list[Instance]],
    prices: Callable[[ModelServer, str, str], Path],
) -> None:
    asked = instances(NUMBER)
    options = _options(server, prices=prices(server, "/v1", "openai/m"))
    server.behaviour = lambda request, before: _refusals(request)
    # A first answer may take seconds on a loaded machine, and nothing of it is to be asked again.
    patient = _options(server, prices=prices(server, "/v1", "openai/m"), call_seconds=120.0)
    quiet = await _all(open_model("openai/m", patient), asked)
    assert max(server.came.values()) == 1
    assert [kind for kind, _, _ in quiet].count("refused") == 6
    server.came.clear(), server.completed.clear(), server.done.clear()

    server.behaviour = _bad
    bad = await _all(open_model("openai/m", options), asked)
    assert [_what_counts(one) for one in bad] == [_what_counts(one) for one in quiet]
    assert len(server.completed) == NUMBER
    assert set(server.completed.values()) == {1}
    assert {"hang", "drop", "cut", "nonsense", "status", "refuse", "answer"} == set(server.done)
    assert server.done["status"] > 20
    for instance, (_, completion, _) in zip(asked, bad, strict=True):
        assert completion is not None
        question = name_of(instance.image.read_bytes())
        assert completion.attempts == server.came[question]
        assert completion.cost == pytest.approx(
            ((100 + len(question)) * 2.0 + (10 + len(question)) * 8.0) / 1e6, abs=0
        )
        if completion.finish is Finish.STOP:
            assert completion.text == answer_to(question)


async def test_what_was_answered_is_kept_and_not_asked_again(
    server: ModelServer, instances: Callable[[int], list[Instance]], tmp_path: Path
) -> None:
    asked = instances(20)
    server.behaviour = lambda request, before: _refusals(request)
    options = _options(server, cache=tmp_path / "cache")
    first = await _all(open_model("openai/m", options), asked)
    again = await _all(open_model("openai/m", options), asked)
    assert server.came.total() == 20
    assert [_what_counts(one) for one in first] == [_what_counts(one) for one in again]
    assert all(completion.cached and completion.attempts == 0 for _, completion, _ in again)
    other = _options(server, cache=tmp_path / "cache", max_tokens=7)
    await _all(open_model("openai/m", other), asked[:1])
    assert server.came.total() == 21


async def test_the_same_question_from_two_samples_is_asked_once(
    server: ModelServer, instances: Callable[[int], list[Instance]], tmp_path: Path
) -> None:
    asked = instances(1) * 5
    found = await _all(open_model("openai/m", _options(server, cache=tmp_path / "cache")), asked)
    assert server.came.total() == 1
    assert sum(completion.cached for _, completion, _ in found) == 4


async def test_a_server_that_never_answers_is_given_up_with_its_reason(
    server: ModelServer, instances: Callable[[int], list[Instance]], tmp_path: Path
) -> None:
    server.behaviour = lambda request, before: "status:500"
    options = _options(server, failures=3, cache=tmp_path / "cache")
    ((kind, _, message),) = await _all(open_model("openai/m", options), instances(1))
    assert (kind, server.came.total()) == ("failed", 3)
    assert "no answer after 3 attempts; the last: HTTP 500: because of 500" in message
    server.behaviour = lambda request, before: "answer"
    assert (await _all(open_model("openai/m", options), instances(1)))[0][0] == "answered"


async def test_a_limit_is_borne_longer_than_faults_but_not_for_ever(
    server: ModelServer, instances: Callable[[int], list[Instance]]
) -> None:
    server.behaviour = lambda request, before: "status:429,0" if before < 6 else "answer"
    options = _options(server, failures=1, longest_pause=0.02)
    assert (await _all(open_model("openai/m", options), instances(1)))[0][0] == "answered"
    server.came.clear()
    server.behaviour = lambda request, before: "status:429,3600"
    ((kind, _, message),) = await _all(open_model("openai/m", options), instances(1))
    assert (kind, server.came.total()) == ("failed", 1)
    assert "it asks to come back after 3600 s" in message


async def test_a_limit_of_the_server_makes_calls_fewer(
    server: ModelServer, instances: Callable[[int], list[Instance]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of the first 16 calls are throttled together, after all are there; no other call is."""
    server.together = threading.Barrier(16)
    server.behaviour = lambda request, before: "together" if server.came.total() <= 16 else "answer"
    model = open_model("openai/m", _options(server, concurrency=16, call_seconds=20.0))
    assert isinstance(model, ProviderModel)
    at_once: list[int] = []
    running, ask = 0, model.provider.ask

    async def counted(question: ReadQuestion) -> Answer:
        nonlocal running
        running += 1
        at_once.append(running)
        try:
            return await ask(question)
        finally:
            running -= 1

    monkeypatch.setattr(model.provider, "ask", counted)
    found = await _all(model, instances(40))
    assert {kind for kind, _, _ in found} == {"answered"}
    assert max(at_once[:16]) == 16
    assert max(at_once[16:32]) <= 10  # half, and one more for about as many answers
    assert server.came.total() == 56


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("status:401", "the key is not accepted"),
        ("status:403", "the key may not use this model"),
        ("status:404", "there is no such model"),
        ('error:429,{"code": "insufficient_quota", "message": "pay"}', "no more to spend"),
    ],
)
async def test_what_no_call_can_mend_ends_the_run_at_once(
    server: ModelServer, instances: Callable[[int], list[Instance]], action: str, words: str
) -> None:
    server.behaviour = lambda request, before: action
    model = open_model("openai/m", _options(server))
    with pytest.raises(ModelAccessError, match=words) as raised:
        await complete(model, instances(1)[0])
    await close_model(model)
    assert raised.value.exit_code == 2
    assert "\n" not in raised.value.message
    assert server.came.total() == 1


async def test_a_request_that_is_not_accepted_fails_this_sample_only(
    server: ModelServer, instances: Callable[[int], list[Instance]]
) -> None:
    server.behaviour = lambda request, before: "status:400" if request.question == "question-0" else "answer"
    found = await _all(open_model("openai/m", _options(server)), instances(3))
    assert [kind for kind, _, _ in found] == ["failed", "answered", "answered"]
    assert server.came["question-0"] == 1


async def test_a_filter_before_the_model_refuses(
    server: ModelServer, instances: Callable[[int], list[Instance]]
) -> None:
    server.behaviour = lambda request, before: 'error:400,{"code": "content_filter", "message": "no"}'
    ((kind, completion, _),) = await _all(open_model("openai/m", _options(server)), instances(1))
    assert kind == "refused"
    assert completion is not None
    assert completion.cost is None


async def test_nobody_at_the_address_is_a_failure_after_all_attempts(
    server: ModelServer, instances: Callable[[int], list[Instance]]
) -> None:
    options = _options(server, base_url="http://127.0.0.1:1/v1", failures=2)
    model = open_model("openai/m", options)
    with pytest.raises(ModelFailedError, match=r"no answer after 2 attempts.*no connection"):
        await complete(model, instances(1)[0])
    await close_model(model)


async def test_the_key_of_a_vendor_stays_with_the_vendor(
    server: ModelServer, instances: Callable[[int], list[Instance]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    await _all(open_model("openai/m", _options(server)), instances(1))
    await _all(open_model("openai/m", _options(server, key_env="OPENAI_API_KEY")), instances(1))
    first, second = (request.headers["authorization"] for request in server.requests)
    assert "secret" not in first
    assert second == "Bearer secret"


async def test_one_model_serves_one_event_loop_after_another(
    server: ModelServer, instances: Callable[[int], list[Instance]]
) -> None:
    model = open_model("openai/m", _options(server))
    asked = instances(3)

    def elsewhere(instance: Instance) -> Completion:
        return asyncio.run(complete(model, instance))

    for instance in asked:
        assert (await asyncio.to_thread(elsewhere, instance)).text
    assert server.came.total() == 3
