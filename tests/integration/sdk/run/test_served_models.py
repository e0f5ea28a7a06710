"""Runs of a model behind a server: what the server does wrong changes no number and no bill."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chat_server import REFUSAL, ChatServer
from i2s_sdk import evaluate
from i2s_sdk.models import Budget, ModelOptions, open_model
from i2s_sdk.run.finalize import RunResult
from i2s_sdk.run.storage.folder import read_records
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.settings import Settings
from i2s_sdk.stats.accounts import Account
from tiny_formulas import TinyFormulas, write_tiny_formulas

pytest.importorskip("openai")
pytestmark = pytest.mark.integration

COUNT = 15
TROUBLE = ("status:429,0", "status:500", "status:503,0", "drop", "nonsense:<html>gateway</html>")
#: Which question the model refuses, and which it never answers.
REFUSED, HOPELESS = "tiny-5", "tiny-6"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> TinyFormulas:
    return write_tiny_formulas(tmp_path_factory.mktemp("served") / "data", COUNT)


@pytest.fixture
def server(data: TinyFormulas) -> Iterator[ChatServer]:
    with ChatServer({**data.answers(), REFUSED: REFUSAL}, data.questions).serving() as server:
        yield server


def _evaluated(
    server: ChatServer, data: TinyFormulas, run: Path, settings: Settings, **chosen: Any
) -> RunResult:
    prices = run.parent / f"{run.name}.toml"
    prices.write_text(f'[servers."{server.base}"]\n"openai/tiny" = {{ in = 2.0, out = 8.0 }}\n')
    options = ModelOptions(
        base_url=server.base,
        call_seconds=8.0,
        first_pause=0.01,
        longest_pause=0.05,
        failures=6,
        concurrency=4,
        cache=None,
        prices=prices,
        **chosen,
    )
    return evaluate(data.folder, open_model("openai/tiny", options), out=run, settings=settings)


def _facts(run: Path) -> dict[str, tuple[object, ...]]:
    return {
        name: (
            record.outcome,
            record.rendering.verdict,
            record.score.metrics,
            record.answer.completion,
            record.answer.usage,
            record.answer.cost,
            record.rendering.sha256,
        )
        for name, record in read_records(run).items()
    }


def test_a_server_that_misbehaves_changes_no_number_no_outcome_and_no_bill(
    server: ChatServer, data: TinyFormulas, tmp_path: Path, running_without_networks: Settings
) -> None:
    def only_one_is_hopeless(question: str, before: int) -> str:
        return "status:500" if question == HOPELESS else "answer"

    server.behaviour = only_one_is_hopeless
    quiet = _evaluated(server, data, tmp_path / "quiet", running_without_networks)
    calls = server.came.total()
    chance = random.Random(7)
    plans = {name: chance.choices(TROUBLE, k=chance.randint(0, 3)) for name in data.ids}
    plans[data.ids[1]] = ["hang"]
    plans[data.ids[2]] = list(TROUBLE)
    server.came.clear()

    def trouble(question: str, before: int) -> str:
        if question == HOPELESS:
            return "status:500"
        return plans[question][before] if before < len(plans[question]) else "answer"

    server.behaviour = trouble
    noisy = _evaluated(server, data, tmp_path / "noisy", running_without_networks)
    assert server.came.total() > calls
    assert _facts(tmp_path / "noisy") == _facts(tmp_path / "quiet")
    assert noisy.summary.to_json()["tasks"] == quiet.summary.to_json()["tasks"]

    records = read_records(tmp_path / "noisy")
    assert records[REFUSED].outcome is Outcome.REFUSED
    assert "I will not." in records[REFUSED].message
    assert set(records[REFUSED].score.metrics.values()) == {0.0}
    assert records[HOPELESS].outcome is Outcome.MODEL_FAILURE
    assert records[HOPELESS].score.metrics == {}
    assert (records[HOPELESS].answer.attempts, records[HOPELESS].answer.cost) == (6, None)
    assert records[data.ids[2]].answer.attempts == len(TROUBLE) + 1
    assert noisy.spending.calls == server.came.total()
    accounts = noisy.summary.accounts
    assert (accounts.planned, accounts.count(Account.REFUSED), accounts.max_tokens) == (COUNT, 1, 2000)
    assert accounts.kinds[Account.FAILED_CALL] == {"ModelFailedError": 1}
    for result in (quiet, noisy):
        assert (result.summary.planned, result.summary.scored, result.covered) == (COUNT, COUNT - 1, False)
        assert (result.spending.answers, result.spending.cost_unknown) == (COUNT - 1, 0)
        said = [len(text) for name, text in server.answers.items() if name != HOPELESS]
        assert result.spending.output_tokens == sum(said)
        dollars = ((COUNT - 1) * 100 * 2.0 + sum(said) * 8.0) / 1e6
        assert result.spending.cost == pytest.approx(dollars, rel=1e-12)
        assert result.spending.paid == result.spending.cost
        assert result.unanswered_calls == {}


def test_a_refusal_is_not_asked_again_and_a_failure_is(
    server: ChatServer, data: TinyFormulas, tmp_path: Path, running_without_networks: Settings
) -> None:
    server.behaviour = lambda question, before: "status:500" if question == HOPELESS else "answer"
    _evaluated(server, data, tmp_path / "run", running_without_networks)
    asked = server.came.copy()
    server.behaviour = lambda question, before: "answer"
    again = _evaluated(server, data, tmp_path / "run", running_without_networks)
    assert again.covered
    assert server.came - asked == {HOPELESS: 1}
    line = json.loads((tmp_path / "run" / "records.jsonl").read_text().splitlines()[-1])
    assert (line["id"], line["attempts"]) == (HOPELESS, 1)


def test_a_budget_ends_the_calls_and_the_same_command_goes_on(
    server: ChatServer, data: TinyFormulas, tmp_path: Path, running_without_networks: Settings
) -> None:
    whole = _evaluated(server, data, tmp_path / "whole", running_without_networks)
    total = sum(100 + len(text) for text in server.answers.values())
    server.came.clear()

    budget = Budget(tokens=total // 3)
    begun = _evaluated(server, data, tmp_path / "run", running_without_networks, budget=budget)
    first = server.came.total()
    assert 0 < first < COUNT
    assert begun.summary.scored == first
    failed = [record for record in read_records(tmp_path / "run").values() if not record.outcome.counts]
    assert len(failed) == COUNT - first
    assert all(one.failure and "not asked: the budget" in one.failure.message for one in failed)

    goes_on = Budget(cost=1_000_000.0)
    ended = _evaluated(server, data, tmp_path / "run", running_without_networks, budget=goes_on)
    assert server.came.total() == COUNT
    assert _facts(tmp_path / "run") == _facts(tmp_path / "whole")
    assert ended.summary.to_json()["tasks"] == whole.summary.to_json()["tasks"]


def test_a_password_in_the_address_reaches_the_server_and_no_file(
    server: ChatServer, data: TinyFormulas, tmp_path: Path, running_without_networks: Settings
) -> None:
    plain = server.base
    server.base = plain.replace("http://", "http://ann:s3cr3t-word@")
    _evaluated(server, data, tmp_path / "run", running_without_networks)
    assert {record.outcome for record in read_records(tmp_path / "run").values()} == {
        Outcome.SCORED,
        Outcome.NO_STRUCTURE,
        Outcome.REFUSED,
    }
    texts = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert any(plain.removeprefix("http://").encode() in text for text in texts)
    assert not any(b"s3cr3t-word" in text for text in texts)
