"""The options of called models reach them."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from i2s_sdk.cli.model_options import chosen_options, model_options
from i2s_sdk.errors import UsageError
from i2s_sdk.settings import Settings


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
