"""Options of evaluate from the configuration file and the environment, and completion."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from i2s_sdk.cli.main import run
from i2s_sdk.cli.run_options import chosen_options, model_options
from i2s_sdk.errors import UsageError
from i2s_sdk.settings import Settings
from tiny_formulas import write_tiny_formulas

FILE = """
jobs = 3
[evaluate]
model = "openai/gpt-4o"
subset = ["s0", "s1"]
limit = 5
max-tokens = 100
dry-run = true
json = true
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a configuration file."""
    write_tiny_formulas(tmp_path / "data", 9)
    (tmp_path / "i2s.toml").write_text(f"{FILE}data = {json.dumps(str(tmp_path / 'data'))}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path


def _counted(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, int]:
    assert run(["evaluate", *arguments]) == 0
    found: dict[str, int] = json.loads(capsys.readouterr().out)
    return found


def test_the_table_of_the_file_gives_options(capsys: pytest.CaptureFixture[str]) -> None:
    found = _counted(capsys)
    assert (found["samples"], found["calls"], found["tokens_out_at_most"]) == (5, 5, 500)


def test_a_flag_is_stronger_than_the_environment_and_that_than_the_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("I2S_EVALUATE_LIMIT", "3")
    assert _counted(capsys)["samples"] == 3
    assert _counted(capsys, "--limit", "2")["samples"] == 2


def test_another_file_can_be_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = place / "other.toml"
    other.write_text((place / "i2s.toml").read_text().replace("limit = 5", "limit = 4"))
    assert _counted(capsys, "--config", str(other))["samples"] == 4


@pytest.mark.parametrize(
    ("wrong", "said"),
    [("limitt = 5", "did you mean 'limit'"), ("limit = 'many'", "--limit"), ("limit = [", "cannot be read")],
)
def test_what_is_wrong_in_the_file_is_told(
    wrong: str, said: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "i2s.toml").write_text(f"[evaluate]\n{wrong}\n")
    assert run(["evaluate"]) == 2
    assert said in capsys.readouterr().err


def test_commands_without_a_table_do_not_mind_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["metrics", "--print-config"]) == 0
    assert "jobs = 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "at", "expected"),
    [
        ("i2s-sdk eval", 1, "plain,evaluate"),
        ("i2s-sdk evaluate --mo", 2, "plain,--model\nplain,--model-seed\nplain,--model-jobs"),
    ],
)
def test_words_are_completed_in_bash(words: str, at: int, expected: str) -> None:
    given = {"COMP_WORDS": words, "COMP_CWORD": str(at), "_I2S_SDK_COMPLETE": "bash_complete"}
    code = "from i2s_sdk.cli.main import main; main()"
    answer = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **given}, capture_output=True, text=True, check=False
    )
    assert answer.stdout.strip() == expected
    assert answer.stderr == ""


def options_of(*arguments: str) -> dict:
    taken = {}

    @click.command()
    @model_options
    def command(**given):
        taken.update(given)

    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return taken


def chosen(*arguments: str):
    return chosen_options(options_of(*arguments), Settings())


def test_what_is_not_given_is_the_default():
    options = chosen()
    assert (options.temperature, options.max_tokens, options.base_url) == (0, 2000, None)
    assert (options.call_seconds, options.retry_seconds) == (300.0, 900.0)
    assert options.cache is None  # another checkpoint may answer to the same name


def test_what_is_given_is_taken(tmp_path):
    options = chosen(
        "--temperature", "0.5", "--max-tokens", "10", "--model-jobs", "3", "--cache", str(tmp_path)
    )
    assert (options.temperature, options.max_tokens, options.concurrency) == (0.5, 10, 3)
    assert options.cache == tmp_path


def test_answers_of_earlier_runs_are_taken_if_the_option_or_the_setting_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    user = tmp_path / "i2s" / "answers"
    assert chosen("--cache", "answers").cache == user
    for setting, folder in (("yes", user), ("no", None), ("mine", Path("mine"))):
        settings = Settings(answer_cache=setting)
        assert chosen_options(options_of(), settings).cache == folder
        assert chosen_options(options_of("--cache", "none"), settings).cache is None


def test_the_seconds_of_a_call_and_of_its_attempts_are_taken():
    options = chosen("--timeout", "7", "--retry-seconds", "11")
    assert (options.call_seconds, options.retry_seconds) == (7.0, 11.0)


def test_none_means_none():
    options = chosen("--temperature", "none", "--cache", "none")
    assert options.temperature is None
    assert options.cache is None


@pytest.mark.parametrize("value", ["warm", ""])
def test_a_temperature_that_is_none_of_both_is_refused(value):
    with pytest.raises(click.BadParameter, match="neither a number nor none"):
        options_of("--temperature", value)


def test_an_address_that_is_none_is_refused():
    with pytest.raises(UsageError, match="--base-url 'nowhere'"):
        chosen("--base-url", "nowhere")
