"""A model that is called: once for each question, with every call in the journal first."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.models import ModelOptions
from i2s_sdk.models.completion import ModelRefusedError
from i2s_sdk.models.model import Finish
from i2s_sdk.models.provider import Answer, FaultError
from i2s_sdk.models.provider_model import ProviderModel
from i2s_sdk.models.question import ReadQuestion
from named_pictures import named_picture
from questions import complete


class Counting:
    """A provider that answers after some turns of the loop, and counts; also a journal of calls."""

    vendor, model, base_url = "openai", "tiny", ""
    parameters: dict[str, float | int | str | None] = {}  # noqa: RUF012 - as the protocol has it

    def __init__(self, *, repeatable: bool = True) -> None:
        self.repeatable = repeatable
        self.asked: list[str] = []
        self.begun: list[str] = []
        self.finish = Finish.STOP
        self.concurrency = 0
        self.faults = 0

    async def ask(self, question: ReadQuestion) -> Answer:
        assert self.begun.count(question.id) > 0, "the call is in no journal"
        self.asked.append(question.id)
        for _ in range(10):
            await asyncio.sleep(0)
        if self.faults:
            self.faults -= 1
            raise FaultError("gone")
        return Answer("said", self.finish, 1_000_000, 1_000_000)

    async def close(self) -> None:
        pass

    async def __call__(self, identity: str, question: str = "") -> str:
        await asyncio.sleep(0)  # as a disk takes
        self.begun.append(identity)
        return f"call {len(self.begun)}"

    def last(self, identity: str, question: str = "") -> str:
        return ""

    def is_last(self, identity: str, name: str, question: str = "") -> bool:
        return False


def _instances(tmp_path: Path, *names: str, picture: str = "the same") -> list[Instance]:
    image = tmp_path / "picture.png"
    image.write_bytes(named_picture(picture))
    return [Instance(name, "latex", "equation", image) for name in names]


def _model(provider: Counting, tmp_path: Path, **more: object) -> ProviderModel:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"openai/tiny" = { in = 2.0, out = 8.0 }\n')
    given: dict[str, object] = {"cache": tmp_path / "cache", "first_pause": 0.001, "prices": prices}
    model = ProviderModel(provider, ModelOptions(**{**given, **more}))  # type: ignore[arg-type]
    model.on_call = provider
    return model


async def test_equal_questions_that_come_together_are_asked_once(tmp_path: Path) -> None:
    provider = Counting()
    model = _model(provider, tmp_path)
    instances = _instances(tmp_path, *"abcde")
    found = await asyncio.gather(*(complete(model, instance) for instance in instances))
    assert len(provider.asked) == len(provider.begun) == 1
    assert sorted(one.cached for one in found) == [False, True, True, True, True]
    assert sorted(one.attempts for one in found) == [0, 0, 0, 0, 1]


async def test_different_questions_do_not_wait_for_each_other(tmp_path: Path) -> None:
    provider = Counting()
    model = _model(provider, tmp_path)
    (one,) = _instances(tmp_path, "a")
    calls = [asyncio.create_task(complete(model, one, f"Say {number}.")) for number in range(5)]
    while len(provider.asked) < 5:
        assert not all(call.done() for call in calls)
        await asyncio.sleep(0)
    await asyncio.gather(*calls)


async def test_without_a_cache_each_sample_is_asked(tmp_path: Path) -> None:
    for provider, cache in ((Counting(), None), (Counting(repeatable=False), tmp_path / "cache")):
        model = _model(provider, tmp_path, cache=cache)
        for instance in _instances(tmp_path, *"ab"):
            assert not (await complete(model, instance)).cached
        assert provider.asked == ["a", "b"]


class Patient(Counting):
    """A provider that takes long, and knows the most calls that were begun and not answered."""

    most = answered = 0

    async def ask(self, question: ReadQuestion) -> Answer:
        for _ in range(1000):
            await asyncio.sleep(0)
        self.most = max(self.most, len(self.begun) - self.answered)
        self.answered += 1
        return await super().ask(question)


@pytest.mark.parametrize(("of_provider", "of_options"), [(0, 2), (2, 8)])
async def test_a_call_that_waits_for_its_place_is_in_no_journal(
    tmp_path: Path, of_provider: int, of_options: int
) -> None:
    provider = Patient()
    provider.concurrency = of_provider
    model = _model(provider, tmp_path, concurrency=of_options, cache=None)
    instances = [Instance(name, "latex", "s", tmp_path / f"{name}.png") for name in "abcdefgh"]
    for instance in instances:  # equal questions would wait for each other
        (tmp_path / f"{instance.id}.png").write_bytes(named_picture(instance.id))
    await asyncio.gather(*(complete(model, instance) for instance in instances))
    assert (provider.most, len(provider.begun)) == (2, 8)


async def test_the_attempts_of_a_call_are_those_that_were_made_and_one_line_of_the_journal(
    tmp_path: Path,
) -> None:
    provider = Counting()
    provider.faults = 2
    (one,) = _instances(tmp_path, "a")
    found = await complete(_model(provider, tmp_path), one)
    assert (found.attempts, found.cached, provider.begun) == (3, False, ["a"])
    assert found.seconds is not None


async def test_an_answer_has_its_price_and_a_kept_one_the_same(tmp_path: Path) -> None:
    provider = Counting()
    model = _model(provider, tmp_path)
    first, kept = [await complete(model, instance) for instance in _instances(tmp_path, *"ab")]
    assert (first.cost, first.cached, first.tokens_in) == (10.0, False, 1_000_000)
    assert (kept.cost, kept.cached, kept.tokens_out) == (10.0, True, 1_000_000)


async def test_a_refusal_is_kept_too_and_refuses_again(tmp_path: Path) -> None:
    provider = Counting()
    provider.finish = Finish.REFUSED
    model = _model(provider, tmp_path)
    for instance in _instances(tmp_path, *"ab"):
        with pytest.raises(ModelRefusedError, match="openai/tiny refused to answer: said"):
            await complete(model, instance)
    assert provider.asked == ["a"]
