"""Further options of a call: what they may be, who takes them, and that they are part of a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from i2s_sdk.errors import UsageError
from i2s_sdk.models import ModelOptions, open_model
from i2s_sdk.models.decoding import parse_extra_body
from i2s_sdk.tasks.question import Sampling

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.setenv(name, "k")


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"top_p": 0.0, "temperature": 1.0}, "--top-p"),
        ({"top_p": 1.5, "temperature": 1.0}, "--top-p"),
        ({"top_p": 0.9}, "--temperature"),
        ({"stop": ("a", "")}, "--stop"),
        ({"extra_body": {"model": "other"}}, "--extra-body has model"),
    ],
)
def test_what_has_no_meaning_is_refused(chosen: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        ModelOptions(**chosen)


@pytest.mark.parametrize("text", ["", "{", "[]", "1", '{"a": NaN}', '{"a": 1, "a": 2}'])
def test_an_extra_body_is_a_json_object(text: str) -> None:
    with pytest.raises(UsageError, match="--extra-body"):
        parse_extra_body(text)


@pytest.mark.parametrize(
    ("name", "chosen", "told"),
    [
        ("anthropic/m", {"seed": 1}, "--model-seed; it takes --top-p, --stop"),
        ("anthropic/m", {"top_p": 0.9, "temperature": 1.0}, "--top-p with --temperature none"),
        ("command:cat {image}", {"stop": ("a",), "seed": 1}, "--model-seed, --stop"),
    ],
)
def test_an_option_that_a_model_cannot_be_given_is_refused_before_anything_is_asked(
    name: str, chosen: dict[str, Any], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        open_model(name, ModelOptions(cache=None, **chosen))


def test_options_that_were_chosen_are_part_of_the_run_and_others_are_not() -> None:
    def fingerprint(**chosen: Any) -> dict[str, Any]:
        model: Any = open_model("openai/m", ModelOptions(cache=None, **chosen))
        found: dict[str, Any] = json.loads(model.fingerprint)
        return found

    plain = fingerprint()
    assert set(plain) == {"base_url", "temperature", "max_tokens"}
    chosen = fingerprint(temperature=1.0, top_p=0.5, seed=0, stop=("a",), extra_body={"b": 1})
    assert chosen == {
        **plain,
        "temperature": 1.0,
        "top_p": 0.5,
        "seed": 0,
        "stop": ["a"],
        "extra_body": {"b": 1},
    }


def test_top_p_goes_before_that_of_a_question() -> None:
    wanted = Sampling(temperature=0.7, top_p=0.8, top_k=5)
    options = ModelOptions(temperature=1.0, top_p=0.5)
    assert options.sampling(wanted) == Sampling(temperature=1.0, top_p=0.5, top_k=5)
    assert options.sampling(None) == Sampling(temperature=1.0, top_p=0.5)
    assert ModelOptions(temperature=None, top_p=0.5).sampling(wanted) == Sampling(top_p=0.5)
