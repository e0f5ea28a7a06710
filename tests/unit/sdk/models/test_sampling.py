"""How a completion is drawn: by the question, unless the user chose a temperature."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.data import Instance
from i2s_sdk.models import ModelOptions, estimate
from i2s_sdk.models.hf_local import _how
from i2s_sdk.models.model import Finish
from i2s_sdk.models.provider import Answer
from i2s_sdk.models.provider_model import ProviderModel
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.tasks.question import Sampling
from questions import question_of

WANTED = Sampling(temperature=0.7, top_p=0.8, top_k=100, repetition_penalty=1.05)


@pytest.mark.parametrize(
    "values",
    [
        {"temperature": -0.1},
        {"temperature": float("nan")},
        {"temperature": float("inf")},
        {"top_p": 0.0},
        {"top_p": 1.1},
        {"top_k": 0},
        {"repetition_penalty": 0.0},
    ],
)
def test_a_value_outside_of_its_range_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(values))):
        Sampling(**values)  # type: ignore[arg-type]


def test_only_values_that_are_there_are_sent() -> None:
    assert Sampling(temperature=0.0, top_k=3).values() == {"temperature": 0.0, "top_k": 3}
    assert WANTED.values("top_p", "top_k") == {"top_p": 0.8, "top_k": 100}
    assert Sampling().values() == {}


@pytest.mark.parametrize("options", [ModelOptions(), replace(ModelOptions(), max_tokens=7)])
def test_the_default_temperature_is_replaced_by_the_sampling_of_a_question(options: ModelOptions) -> None:
    assert pickle.loads(pickle.dumps(options)).sampling(WANTED) == WANTED
    assert options.sampling(WANTED) == WANTED
    assert options.sampling(None) == Sampling(temperature=0.0)


@pytest.mark.parametrize("temperature", [0.0, 0, 0.2])
def test_a_chosen_temperature_replaces_that_of_the_question_alone(temperature: float) -> None:
    options = ModelOptions(temperature=temperature)
    assert options.sampling(WANTED) == replace(WANTED, temperature=temperature)
    assert options.sampling(None) == Sampling(temperature=temperature)


def test_a_chosen_none_leaves_everything_to_the_server() -> None:
    options = ModelOptions(temperature=None)
    assert options.sampling(WANTED) == options.sampling(None) == Sampling()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (ModelOptions(), '{"temperature": 0.0, "max_tokens": 2000}'),
        (ModelOptions(temperature=0.0), '{"temperature": 0.0, "max_tokens": 2000}'),
        (ModelOptions(temperature=1), '{"temperature": 1, "max_tokens": 2000}'),
        (ModelOptions(temperature=None), '{"temperature": null, "max_tokens": 2000}'),
    ],
)
def test_parameters_are_written_as_before_there_was_a_sampling(options: ModelOptions, text: str) -> None:
    assert json.dumps(options.parameters) == text


class Drawing:
    """A provider that answers with the sampling that it was given."""

    vendor, model, base_url, repeatable = "openai", "m", "https://api.openai.com/v1", True

    def __init__(self, options: ModelOptions) -> None:
        self.parameters = options.parameters

    async def ask(self, question: ReadQuestion) -> Answer:
        return Answer(repr(question.sampling), Finish.STOP)

    async def close(self) -> None:
        pass


async def test_answers_are_cached_by_the_sampling_that_applies_and_a_dry_run_finds_them(
    tmp_path: Path,
) -> None:
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    instance = Instance("a", "latex", "plot", tmp_path / "a.png")
    question = replace(question_of(instance), sampling=WANTED)
    default = ModelOptions(cache=tmp_path / "cache")
    chosen = replace(default, temperature=0.0)
    assert estimate("openai/m", [(instance, question)], default).calls == 1
    drawn = ProviderModel(Drawing(default), default)
    first = await drawn.complete(instance, question)
    again = await drawn.complete(instance, question)
    assert (first.text, first.cached, again.cached) == (repr(WANTED), False, True)
    assert estimate("openai/m", [(instance, question)], default).calls == 0
    assert estimate("openai/m", [(instance, question)], chosen).calls == 1
    greedy = await ProviderModel(Drawing(chosen), chosen).complete(instance, question)
    assert (greedy.text, greedy.cached) == (repr(replace(WANTED, temperature=0.0)), False)
    assert estimate("openai/m", [(instance, question)], chosen).calls == 0


def test_runs_with_a_sampling_tell_a_chosen_temperature_from_the_default() -> None:
    default, chosen = (
        ProviderModel(Drawing(one), one) for one in (ModelOptions(), ModelOptions(temperature=0.0))
    )
    assert default.fingerprint == chosen.fingerprint == default.sampling_fingerprint
    assert chosen.sampling_fingerprint != default.sampling_fingerprint


@pytest.mark.parametrize(
    ("sampling", "how"),
    [
        (Sampling(), {"do_sample": False}),
        (Sampling(temperature=0.0), {"do_sample": False}),
        (Sampling(temperature=0.5), {"do_sample": True, "temperature": 0.5}),
        (WANTED, {"do_sample": True, **WANTED.values()}),
        (replace(WANTED, temperature=0.0), {"do_sample": False, "repetition_penalty": 1.05}),
    ],
)
def test_transformers_draws_only_with_a_temperature(sampling: Sampling, how: dict[str, object]) -> None:
    assert _how(sampling, 9) == {"max_new_tokens": 9, **how}
