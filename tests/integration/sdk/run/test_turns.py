"""Render, look, correct: with a real renderer, and a server that corrects its answers turn by turn."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from chat_server import REFUSAL, ChatServer
from i2s_sdk.run.storage.folder import ANSWERS, APPENDED, CALLS, OF_TURNS, RESULTS, TURN_RECORDS, read_run
from i2s_sdk.run.storage.index import line_key, read_lines
from i2s_sdk.run.storage.interface import open_storage
from sdk_command import answer_of
from tiny_formulas import TinyFormulas, write_tiny_formulas

pytest.importorskip("openai")
pytestmark = pytest.mark.integration

TURNS = 3
#: The answers of each conversation, as many as are asked for.
CONVERSATIONS = (
    (r"\undefinedcommandofnobody", "$x$", "It is right now.\n\nDONE"),
    ("$y$", r"\alsoundefined", "$x$"),
    ("$x$", "$x$"),
    ("", None),
    ("$y$", REFUSAL),
)


@pytest.fixture
def data(tmp_path: Path) -> TinyFormulas:
    return write_tiny_formulas(tmp_path / "data", 2 * len(CONVERSATIONS))


@pytest.fixture
def server(data: TinyFormulas) -> Iterator[ChatServer]:
    answers = {}
    for number, name in enumerate(data.ids):
        for turn, answer in enumerate(CONVERSATIONS[number % len(CONVERSATIONS)], start=1):
            if answer is not None:
                answers[name + (f" {turn}" if turn > 1 else "")] = answer
    with ChatServer(answers, data.questions).serving() as server:
        yield server


@pytest.fixture
def environment(tmp_path: Path, light_endpoints: dict[str, str]) -> dict[str, str]:
    caches = {"XDG_CACHE_HOME": str(tmp_path / "caches"), "OPENAI_API_KEY": "k"}
    return {**os.environ, **light_endpoints, **caches}


def _command(data: TinyFormulas, model: str, out: Path, *more: str) -> list[str]:
    words = ["evaluate", "--data", str(data.folder), "--model", model, "--out", str(out)]
    further = ["--turns", str(TURNS), "--no-reference-points", "--json", *more]
    return [sys.executable, "-m", "i2s_sdk.cli", *words, *further]


def _served(data: TinyFormulas, server: ChatServer, out: Path, *more: str) -> list[str]:
    return _command(data, "openai/tiny", out, "--base-url", server.base, *more)


def _row(document: dict[str, object], at: int) -> tuple[float, float]:
    """Return the shares of renderings and the main metric after an answer."""
    values = document["turns"]["latex"]["rows"][at]["values"]  # type: ignore[index]
    return values["rendered"]["value"], values["ems"]["value"]


def test_a_model_that_looks_corrects_its_answer(
    tmp_path: Path, data: TinyFormulas, server: ChatServer, environment: dict[str, str]
) -> None:
    out = tmp_path / "run"
    command = _served(data, server, out)
    document = answer_of(command, environment)
    assert [_row(document, at)[0] for at in range(TURNS)] == pytest.approx([0.6, 0.4, 0.6])
    assert _row(document, 2)[1] < document["turns"]["latex"]["best"]["values"]["ems"]["value"]  # type: ignore[index]
    assert document["turns"]["latex"]["ended"] == {"done": 2, "no_answer": 2, "refused": 2, "unchanged": 2}  # type: ignore[index]
    assert document["tasks"]["latex"]["total"]["rendered"] == 6  # type: ignore[index]
    assert document["spending"]["answers"] == len(server.answers)  # type: ignore[index]
    assert set(server.came.values()) == {1}

    first, second = (server.conversations[f"tiny-0{turn}"] for turn in (" 2", " 3"))
    assert [one["role"] for one in second] == ["user", "assistant"] * 2 + ["user"]
    assert [one["content"] for one in second if one["role"] == "assistant"] == [
        r"\undefinedcommandofnobody",
        "$x$",
    ]
    said = "".join(part.get("text", "") for part in first[-1]["content"])
    assert "in line 1 of your answer: Undefined control sequence" in said
    images = [part["image_url"]["url"] for part in second[-1]["content"] if part["type"] == "image_url"]
    shown = [Image.open(io.BytesIO(base64.b64decode(image.partition(",")[2]))) for image in images]
    assert len(shown) == 2
    assert all(image.mode == "RGB" for image in shown)

    before = (out / RESULTS).read_bytes()
    answer_of(command, environment)
    assert set(server.came.values()) == {1}
    assert (out / RESULTS).read_bytes() == before


@pytest.mark.nightly(instead="the key of an answer has its conversation (test_conversation)")
def test_the_answer_cache_has_the_answers_of_all_turns(
    tmp_path: Path, data: TinyFormulas, server: ChatServer, environment: dict[str, str]
) -> None:
    cache = ("--cache", str(tmp_path / "answers"))
    first = answer_of(_served(data, server, tmp_path / "first", *cache), environment)
    came = server.came.total()
    second = answer_of(_served(data, server, tmp_path / "second", *cache), environment)
    assert server.came.total() == came
    assert second["spending"]["cached"] == second["spending"]["answers"] == came  # type: ignore[index]
    assert [_row(second, at) for at in range(TURNS)] == [_row(first, at) for at in range(TURNS)]


@pytest.mark.nightly(instead="the turns that a replay has (test_conversation)")
def test_a_replay_has_the_turns_of_its_run_and_one_without_turns_ends_at_the_first(
    tmp_path: Path, data: TinyFormulas, server: ChatServer, environment: dict[str, str]
) -> None:
    document = answer_of(_served(data, server, tmp_path / "run"), environment)
    again = answer_of(_command(data, f"replay:{tmp_path / 'run'}", tmp_path / "again"), environment)
    assert [_row(again, at) for at in range(TURNS)] == [_row(document, at) for at in range(TURNS)]
    assert again["turns"]["latex"]["ended"] == document["turns"]["latex"]["ended"]  # type: ignore[index]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"id": name, "completion": "$x$"}) + "\n" for name in data.ids))
    alone = answer_of(_command(data, f"replay:{answers}", tmp_path / "alone"), environment)
    assert alone["turns"]["latex"]["ended"] == {"no_turn": len(data.ids)}  # type: ignore[index]
    record = read_run(tmp_path / "alone")
    reasons = {record.with_texts(one).turn.reason for one in record.ordered()}
    assert reasons == {"replay:answers.jsonl has no further turn"}


@pytest.mark.nightly(instead="shards with turns, merged (tests/unit/sdk/stats/test_turns)")
def test_shards_of_a_run_with_turns_have_its_numbers_byte_for_byte(
    tmp_path: Path, data: TinyFormulas, server: ChatServer, environment: dict[str, str]
) -> None:
    answer_of(_served(data, server, tmp_path / "whole"), environment)
    parts = [tmp_path / f"part-{at}" for at in (1, 2)]
    for at, part in enumerate(parts, start=1):
        answer_of(_served(data, server, part, "--shard", f"{at}/2"), environment)
    words = ["merge", *map(str, parts), "--out", str(tmp_path / "merged"), "--json"]
    answer_of([sys.executable, "-m", "i2s_sdk.cli", *words], environment)
    assert (tmp_path / "merged" / RESULTS).read_bytes() == (tmp_path / "whole" / RESULTS).read_bytes()
    came = server.came.total()
    document = answer_of(_served(data, server, tmp_path / "merged"), environment)
    assert (server.came.total(), document["covered"]) == (came, True)


def _lines(out: Path) -> int:
    storage = open_storage(out)
    return sum(1 for name in (*APPENDED, *OF_TURNS) for _ in storage.lines(name))


@pytest.mark.nightly(instead="what remains after an interruption (tests/unit/sdk/run/test_turns)")
@pytest.mark.timeout(600)
def test_killed_between_turns_a_run_goes_on_where_it_was_and_pays_nothing_twice(
    tmp_path: Path, data: TinyFormulas, server: ChatServer, environment: dict[str, str]
) -> None:
    quiet, out = tmp_path / "quiet", tmp_path / "disturbed"
    answer_of(_served(data, server, quiet), environment)
    asked, whole = server.came.total(), _lines(quiet)
    server.came.clear()
    command = _served(data, server, out)
    for moment in range(whole // 8, whole, whole // 8):
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as one:
            while one.poll() is None and _lines(out) < moment:
                time.sleep(0.01)  # a look, not a wait for something
            one.kill()
    document = answer_of(command, environment)
    assert (out / RESULTS).read_bytes() == (quiet / RESULTS).read_bytes()
    storage = open_storage(out)
    for name in (ANSWERS, TURN_RECORDS):
        found = Counter(line_key(line) for line in read_lines(storage.lines(name)))
        assert set(found.values()) == {1}, name
    unanswered = sum(document["unanswered_calls"].values())  # type: ignore[attr-defined]
    assert len(list(read_lines(storage.lines(CALLS)))) == asked + unanswered
    assert asked <= server.came.total() <= asked + unanswered
