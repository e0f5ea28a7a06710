"""The outcomes of a call, one table for every provider: what a server sends, and how the sample ends."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from batch_server import BatchServer
from i2s_sdk.data import Instance
from i2s_sdk.errors import ModelError
from i2s_sdk.models import Finish, ModelInputRejectedError, ModelOptions, close_model, open_model
from i2s_sdk.models.options import Batching
from i2s_sdk.run.generate import SampleAnswer, answer_of, failed_answer
from i2s_sdk.run.storage.codec import answer_line, read_answer
from i2s_sdk.run.storage.record import Outcome
from outcome_bodies import ANSWER, PROGRAM, SERVERS
from questions import complete

from .conftest import Asked, ModelServer

pytestmark = pytest.mark.integration

FAILURES = 3


@dataclass(frozen=True)
class Expected:
    """How a call ends.

    Attributes:
        outcome: Outcome of the answer; None for a completion that is read.
        calls: Calls that were made.
        finish: Finish of the completion.
        text: The completion.
        said: A part of the message or of the failure.
        reasoning: The reasoning that is kept.
        kept: Whether the answer cache keeps it.
    """

    outcome: Outcome | None = None
    calls: int = 1
    finish: Finish | None = Finish.STOP
    text: str | None = ANSWER
    said: str = ""
    reasoning: str = ""
    kept: bool = True


def _failed(said: str, calls: int = FAILURES) -> Expected:
    return Expected(Outcome.MODEL_FAILURE, calls, None, None, said, kept=False)


def _rejected(said: str) -> Expected:
    return Expected(Outcome.INPUT_REJECTED, 1, None, None, said, kept=False)


OUTCOMES: Mapping[str, Expected] = {
    "answer": Expected(),
    "answer in parts": Expected(reasoning="hm"),
    "answer beside reasoning": Expected(reasoning="hm"),
    "answer beside a call of a tool": Expected(finish=Finish.OTHER),
    "answer as a stream": Expected(reasoning="hm"),
    "cut off": Expected(finish=Finish.LENGTH),
    "empty answer": Expected(text=""),
    "refused by finish": Expected(Outcome.REFUSED, finish=Finish.REFUSED, text=None, said="refused"),
    "refused without a message": Expected(Outcome.REFUSED, finish=Finish.REFUSED, text=None, said="refused"),
    "refused by status": Expected(Outcome.REFUSED, finish=Finish.REFUSED, text=None, said="filter"),
    "call of a tool": Expected(
        Outcome.NO_STRUCTURE, finish=Finish.OTHER, text="", said="the model called the tool 'f'"
    ),
    "unreadable call of a tool": Expected(
        Outcome.NO_STRUCTURE, finish=Finish.OTHER, text="", said="the model called a tool instead of"
    ),
    "reasoning only": Expected(
        Outcome.ENDED_IN_REASONING, text="", said="without an answer", reasoning="long thoughts"
    ),
    "reasoning cut off": Expected(
        Outcome.ENDED_IN_REASONING,
        finish=Finish.LENGTH,
        text="",
        said="without an answer: it was cut off",
        reasoning="long thoughts",
    ),
    "hidden reasoning cut off": Expected(
        Outcome.ENDED_IN_REASONING, finish=Finish.LENGTH, text="", said="without an answer"
    ),
    "finish error": _failed("error"),
    "abort": _failed("abort"),
    "error in a choice": _failed("upstream failed"),
    "error in place of an answer": _failed("upstream failed"),
    "malformed body": _failed(""),
    "input rejected": _rejected("the image is too small"),
    "input too large": _rejected("Request Entity Too Large"),
    "input not processable": _rejected("the image is too small"),
    "request rejected": _failed("no_such_field", 1),
    "rate limited, then answered": Expected(calls=2),
    "server error, then answered": Expected(calls=2),
    "error, then answered": Expected(calls=2),
}


async def _answered(model: Any, instance: Instance) -> SampleAnswer:
    try:
        return answer_of(await complete(model, instance), 0.0)
    except ModelError as error:
        return failed_answer(error, 0.0)
    finally:
        await close_model(model)


def _check(answer: SampleAnswer, expected: Expected) -> None:
    failure = answer.failure.message if answer.failure is not None else ""
    assert answer.outcome is expected.outcome, answer
    assert expected.said.lower() in (answer.message + failure).lower()
    if expected.finish is not None:
        assert answer.finish == str(expected.finish)
    if expected.text is not None:
        assert answer.completion == expected.text
    assert answer.reasoning == expected.reasoning
    assert read_answer(json.loads(json.dumps(answer_line("a", answer)))) == answer


@pytest.mark.parametrize(("vendor", "name"), [(one, name) for one, own in SERVERS.items() for name in own])
async def test_a_call_ends_as_its_body_says_with_every_provider(
    server: ModelServer,
    instances: Callable[[int], list[Instance]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    vendor: str,
    name: str,
) -> None:
    bodies, expected = SERVERS[vendor][name], OUTCOMES[name]
    server.behaviour = lambda asked, before: bodies[min(before, len(bodies) - 1)]
    model_name, suffix = f"{vendor}/m", "/v1" if vendor == "openai" else ""
    if vendor == "inspect":
        pytest.importorskip("inspect_ai")
        monkeypatch.setenv("HERE_API_KEY", "k")
        model_name, suffix = "inspect/openai-api/here/m", "/v1"
    options = ModelOptions(
        base_url=server.base + suffix,
        failures=FAILURES,
        first_pause=0.01,
        longest_pause=0.02,
        cache=tmp_path / "cache",
    )
    answer = await _answered(open_model(model_name, options), instances(1)[0])
    _check(answer, expected)
    assert (server.came.total(), answer.attempts) == (expected.calls, expected.calls)
    assert bool(list((tmp_path / "cache").rglob("*.json"))) == expected.kept


#: Bodies that are the answer to a question of a batch; what concerns the request alone is not among them.
_OF_BATCHES = [
    name
    for name in OUTCOMES
    if not name.endswith("then answered") and name not in ("answer as a stream", "malformed body")
]


def _batch_result(vendor: str, action: str) -> dict[str, Any]:
    """Return what stands in the file of results of a batch in place of the answer to a single call."""
    kind, _, body = action.partition(":")
    status, text = (200, body) if kind == "nonsense" else (int(body[:3]), body[4:])
    found = json.loads(text) if text.startswith("{") else {"error": {"message": text}}
    if vendor == "openai":
        return {"response": {"status_code": status, "body": found}}
    if status == 200 and found["type"] == "message":
        return {"type": "succeeded", "message": found}
    type_ = "request_too_large" if status == 413 else found["error"].get("type", "api_error")
    return {"type": "errored", "error": {"type": "error", "error": {**found["error"], "type": type_}}}


@pytest.mark.parametrize(
    ("vendor", "name"),
    [(one, name) for one in ("openai", "anthropic") for name in _OF_BATCHES if name in SERVERS[one]],
)
async def test_a_question_of_a_batch_ends_as_a_single_call_does(
    instances: Callable[[int], list[Instance]], tmp_path: Path, vendor: str, name: str
) -> None:
    bodies, expected = SERVERS[vendor][name], OUTCOMES[name]
    with BatchServer().serving() as server:
        server.result = lambda key, body: _batch_result(vendor, bodies[0])
        options = ModelOptions(
            base_url=server.base + ("/v1" if vendor == "openai" else ""),
            failures=FAILURES,
            first_pause=0.01,
            longest_pause=0.02,
            cache=tmp_path / "cache",
            batching=Batching(gather_seconds=0.01, poll_seconds=0.01),
        )
        answer = await _answered(open_model(f"{vendor}/m", options), instances(1)[0])
        _check(answer, expected)
        assert (len(server.batches), answer.attempts) == (expected.calls, expected.calls)


_PROGRAM = """
import json, sys
lines = json.loads(sys.argv[1])
for number, line in enumerate(sys.stdin):
    said = lines[min(number, len(lines) - 1)]
    print(json.dumps({"id": json.loads(line)["id"], **said}), flush=True)
"""


@pytest.mark.parametrize("name", PROGRAM)
async def test_a_call_of_a_program_ends_as_its_line_says(
    instances: Callable[[int], list[Instance]], tmp_path: Path, name: str
) -> None:
    (tmp_path / "program.py").write_text(_PROGRAM)
    line = shlex.join([sys.executable, str(tmp_path / "program.py"), json.dumps(PROGRAM[name])])
    options = ModelOptions(failures=FAILURES, first_pause=0.01, longest_pause=0.02)
    answer = await _answered(open_model(f"command:{line}", options), instances(1)[0])
    _check(answer, OUTCOMES[name])
    assert answer.attempts == OUTCOMES[name].calls


async def test_a_server_that_names_the_other_limit_of_tokens_is_asked_with_that_and_remembered(
    server: ModelServer, instances: Callable[[int], list[Instance]]
) -> None:
    names = ("max_tokens", "max_completion_tokens")
    rejected = 0

    def behave(asked: Asked, before: int) -> str:
        message = f"Unsupported parameter: '{names[rejected]}'. Use '{names[1 - rejected]}' instead."
        return f"error:400,{json.dumps({'message': message})}" if names[rejected] in asked.body else "answer"

    server.behaviour = behave
    model = open_model("openai/m", ModelOptions(base_url=f"{server.base}/v1", max_tokens=77, cache=None))
    first, second, third = instances(3)
    answers = [await complete(model, one) for one in (first, second)]
    rejected = 1
    answers.append(await complete(model, third))
    await close_model(model)
    assert [answer.attempts for answer in answers] == [1, 1, 1]
    sent = [[request.body.get(name) for name in names] for request in server.requests]
    assert sent == [[77, None], [None, 77], [None, 77], [None, 77], [77, None]]


async def test_a_limit_of_tokens_that_does_not_fit_into_the_context_is_not_sent_under_another_name(
    server: ModelServer, instances: Callable[[int], list[Instance]]
) -> None:
    error = json.dumps(
        {"message": "'max_tokens' or 'max_completion_tokens' is too large: the context is full"}
    )
    server.behaviour = lambda asked, before: f"error:400,{error}"
    model = open_model("openai/m", ModelOptions(base_url=f"{server.base}/v1", cache=None))
    with pytest.raises(ModelInputRejectedError, match="the context is full"):
        await complete(model, instances(1)[0])
    await close_model(model)
    assert server.came.total() == 1


@pytest.mark.parametrize("vendor", ["anthropic", "google"])
async def test_a_server_that_streams_unasked_is_named(
    server: ModelServer, instances: Callable[[int], list[Instance]], vendor: str
) -> None:
    server.behaviour = lambda asked, before: (
        'nonsense:event: message_start\ndata: {"type": "message_start"}\n\n'
    )
    options = ModelOptions(base_url=server.base, cache=None, failures=1)
    with pytest.raises(ModelError, match=r"streams its answer although it was not asked to"):
        await complete(open_model(f"{vendor}/m", options), instances(1)[0])
