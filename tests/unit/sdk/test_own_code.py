"""Functions of the user in one Python file, as models and as scorers."""

from __future__ import annotations

import asyncio
import pickle
from pathlib import Path

import pytest

from i2s_sdk.errors import ScorerError, UsageError
from i2s_sdk.models import open_model
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.own import FunctionModel
from i2s_sdk.models.provider import RejectedError
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.own_code import OwnFunction
from i2s_sdk.scoring.own import OwnScorer
from i2s_sdk.scoring.scorer import NotUsable, Scorable, ScorerLimits
from i2s_sdk.scoring.workers import ScorerWorkers

SAMPLE = Scorable("a", structure="x" * 3)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "my.py"


def scored(file: Path, program: str, limits: ScorerLimits | None = None) -> object:
    """Return what a worker says of a sample."""
    file.write_text(program)

    async def score() -> object:
        workers = ScorerWorkers(limits or ScorerLimits())
        try:
            return await workers.score(OwnScorer.parse(f"{file}:score"), SAMPLE)
        finally:
            await workers.close()

    return asyncio.run(score())


def test_a_number_is_the_metric_of_the_name_of_the_function(file: Path) -> None:
    values = scored(file, "def score(sample):\n    return len(sample.structure)\n")
    assert getattr(values, "metrics") == {"score": 3.0}  # noqa: B009


def test_a_name_that_is_listed_and_not_returned_is_not_defined_and_one_that_is_not_listed_a_fault(
    file: Path,
) -> None:
    values = scored(file, 'METRICS = ("a", "b")\ndef score(sample):\n    return {"a": True}\n')
    assert getattr(values, "metrics") == {"a": 1.0, "b": None}  # noqa: B009
    with pytest.raises(ScorerError, match="line 2: ZeroDivisionError: division by zero") as raised:
        scored(file, "def score(sample):\n    return 1 / 0\n")
    assert "\n" not in raised.value.message
    with pytest.raises(ScorerError, match=r"METRICS = \['c'\]"):
        scored(file, 'def score(sample):\n    return {"c": 1.0}\n')


def test_a_function_is_held_to_the_limits_of_a_worker(file: Path) -> None:
    said = scored(file, "def score(sample):\n    while True: pass\n", ScorerLimits(cpu_seconds=1.0))
    assert said == NotUsable("scoring it (my.py:score) takes more than 1 s of CPU time")


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("def other(): pass", "has no function 'score'"),
        ("score = 1", "has no function 'score'"),
        ("x = 1\nimport no_such_module", "my.py, line 2: ModuleNotFoundError"),
        ("def score(:", "my.py, line 1: SyntaxError"),
        ("METRICS = 'score'\ndef score(sample): pass", "METRICS of .* is not a list of names"),
        (None, "cannot be read: No such file"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(file: Path, program: str | None, why: str) -> None:
    if program is not None:
        file.write_text(program)
    with pytest.raises(UsageError, match=why) as raised:
        OwnScorer.parse(f"{file}:score")
    assert "\n" not in str(raised.value)


def test_a_file_that_was_changed_is_not_run(file: Path) -> None:
    file.write_text("def score(sample): return 1.0")
    function = OwnFunction.parse(f"{file}:score")
    file.write_text("def score(sample): return 2.0  # other")
    again = OwnFunction(function.path, "score", "0" * 16)
    with pytest.raises(UsageError, match="was changed since"):
        pickle.loads(pickle.dumps(again)).load()


@pytest.mark.parametrize("begin", ["def", "async def"])
def test_a_function_answers_a_question(file: Path, begin: str) -> None:
    file.write_text(f"{begin} model(question):\n    return question.text.upper()\n")
    model = FunctionModel(OwnFunction.parse(f"{file}:model"), ModelOptions())
    assert asyncio.run(model.ask(ReadQuestion("a", ("abc",)))).text == "ABC"
    assert model.concurrency == (1 if begin == "def" else 0)  # 0: as many as the options say
    opened = open_model(f"{file}:model")
    assert (opened.name, "digest" in opened.fingerprint) == ("my.py:model", True)


@pytest.mark.parametrize(
    ("body", "why"), [("return 1", "returned no text but int"), ("raise KeyError('x')", "line 2: KeyError")]
)
def test_a_function_that_fails_is_a_failed_call_that_names_its_line(file: Path, body: str, why: str) -> None:
    file.write_text(f"def model(question):\n    {body}\n")
    model = FunctionModel(OwnFunction.parse(f"{file}:model"), ModelOptions())
    with pytest.raises(RejectedError, match=why):
        asyncio.run(model.ask(ReadQuestion("a", ("abc",))))
