"""The answer cache across runs: off unless asked for, and told where answers came from it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from chat_server import ChatServer
from i2s_sdk import evaluate
from i2s_sdk.cli.main import run
from i2s_sdk.models import ModelOptions, open_model
from i2s_sdk.run.finalize import RunResult
from i2s_sdk.run.storage.folder import read_manifest
from i2s_sdk.run.storage.interface import open_storage
from i2s_sdk.settings import Settings
from i2s_sdk.stats.spending import FromCache
from tiny_formulas import TinyFormulas, write_tiny_formulas

pytest.importorskip("openai")
pytestmark = pytest.mark.integration

COUNT = 4


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def data(tmp_path: Path) -> TinyFormulas:
    return write_tiny_formulas(tmp_path / "data", COUNT)


@pytest.fixture
def server(data: TinyFormulas) -> Iterator[ChatServer]:
    with ChatServer(data.answers(), data.questions).serving() as server:
        yield server


def _generated(server: ChatServer, data: TinyFormulas, out: str, *options: str) -> list[dict[str, object]]:
    """Return the lines of the answers of a run, in the order of their instances."""
    words = ["generate", "--data", str(data.folder), "--model", "openai/tiny", "--base-url", server.base]
    assert run([*words, "--out", out, *options]) == 0
    lines = [json.loads(line) for line in Path(out, "answers.jsonl").read_text().splitlines()]
    return sorted(lines, key=lambda line: str(line["id"]))


def test_another_checkpoint_behind_the_same_name_is_asked_by_a_new_run(
    server: ChatServer, data: TinyFormulas
) -> None:
    first = _generated(server, data, "first")
    server.answers = dict.fromkeys(server.answers, "$other$")
    second = _generated(server, data, "second")
    assert [one["completion"] for one in second] == ["$other$"] * COUNT
    assert [one["completion"] for one in first] != [one["completion"] for one in second]
    assert (server.came.total(), {one["cached"] for one in second}) == (2 * COUNT, {False})
    assert not Path("caches/i2s/answers").exists()


def test_a_run_that_is_resumed_asks_nothing_that_it_has_an_answer_to(
    server: ChatServer, data: TinyFormulas
) -> None:
    server.behaviour = lambda question, before: "status:400" if question == data.ids[0] else "answer"
    assert run([*"generate --data data --model openai/tiny --out run --base-url".split(), server.base]) == 3
    server.behaviour = lambda question, before: "answer"
    server.answers = dict.fromkeys(server.answers, "$other$")
    lines = _generated(server, data, "run")
    assert server.came == {name: 2 if name == data.ids[0] else 1 for name in data.ids}
    answers = {line["id"]: line["completion"] for line in lines}  # of the rejected one, the later line
    assert [name for name in data.ids if answers[name] == "$other$"] == [data.ids[0]]


@pytest.mark.parametrize("how", ["option", "setting", "folder"])
def test_where_the_cache_is_asked_for_a_second_run_takes_the_answers_of_the_first_and_says_from_when(
    server: ChatServer, data: TinyFormulas, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = {"option": ["--cache", "answers"], "folder": ["--cache", "kept"], "setting": []}[how]
    if how == "setting":
        monkeypatch.setenv("I2S_ANSWER_CACHE", "yes")
    first = _generated(server, data, "first", *chosen)
    assert not any("cached_at" in one for one in first)
    server.answers = dict.fromkeys(server.answers, "$other$")
    second = _generated(server, data, "second", *chosen)
    assert server.came.total() == COUNT
    assert [one["completion"] for one in second] == [one["completion"] for one in first]
    assert all(one["cached"] and one["cached_at"] for one in second)
    manifest = read_manifest(open_storage("second"))
    assert manifest is not None
    assert manifest.about["answer cache"] == "on"
    off = _generated(server, data, "third", "--cache", "none")
    assert {one["completion"] for one in off} == {"$other$"}


def test_summary_report_manifest_and_results_say_how_many_answers_came_from_the_cache_and_from_when(
    server: ChatServer, data: TinyFormulas, tmp_path: Path, running_without_networks: Settings
) -> None:
    options = ModelOptions(base_url=server.base, cache=tmp_path / "kept")

    def evaluated(name: str) -> RunResult:
        return evaluate(
            data.folder,
            open_model("openai/tiny", options),
            out=tmp_path / name,
            settings=running_without_networks,
        )

    first, second = evaluated("first"), evaluated("second")
    today = first.spending.from_cache, second.spending.from_cache
    assert (today[0], today[1].samples) == (FromCache(), COUNT)
    words = f"{COUNT} from the answer cache, given {today[1].oldest[:10]}"
    assert words in str(second.spending)
    facts = []
    for name in ("first", "second"):
        manifest = read_manifest(open_storage(tmp_path / name))
        assert manifest is not None
        facts.append(manifest.about["answer cache"])
    assert facts[0] == "on"
    assert facts[1].startswith(f"on; samples: {words}")
    assert words in (tmp_path / "second" / "index.html").read_text()
    results = json.loads((tmp_path / "second" / "results.json").read_text())
    assert results["spending"]["from_cache"]["samples"] == COUNT
    assert "from_cache" not in json.loads((tmp_path / "first" / "results.json").read_text())["spending"]
