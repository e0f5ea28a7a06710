"""A small question before a run begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.errors import ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models import ModelAccessError, ModelOptions
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import Budget
from i2s_sdk.models.provider import Answer, FaultError, RejectedError
from i2s_sdk.models.provider_model import QUESTION, ProviderModel
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.tasks.question import Question, TextPart


class Provider:
    """A provider that answers, or fails as it is told."""

    vendor, model, base_url, repeatable = "openai", "tiny", "http://127.0.0.1:1/v1", True
    parameters: dict[str, Any] = {}  # noqa: RUF012 - as the protocol has it

    def __init__(self, *, preflight: bool = True, error: Exception | None = None) -> None:
        self.preflight, self.error = preflight, error
        self.asked: list[ReadQuestion] = []

    async def ask(self, question: ReadQuestion) -> Answer:
        self.asked.append(question)
        if self.error is not None:
            raise self.error
        return Answer("", Finish.LENGTH, 70, 16)

    async def close(self) -> None:
        pass


def _model(provider: Provider, **more: Any) -> ProviderModel:
    return ProviderModel(provider, ModelOptions(cache=None, first_pause=0.001, **more))


async def test_whatever_is_answered_is_fine() -> None:
    provider = Provider()
    await _model(provider).preflight(with_image=False)
    (asked,) = provider.asked
    assert (asked.text, asked.images) == (QUESTION, ())


async def test_the_image_is_a_whole_png() -> None:
    provider = Provider()
    await _model(provider).preflight(with_image=True)
    (image,) = provider.asked[0].images
    assert (image.media_type, image.width, image.height) == ("image/png", 64, 64)
    assert image.content.startswith(b"\x89PNG")


async def test_the_cache_says_whether_it_has_an_answer(tmp_path: Path) -> None:
    provider = Provider()
    model = ProviderModel(provider, ModelOptions(cache=tmp_path, first_pause=0.001))
    instance, question = Instance("a", "latex", "", None), Question((TextPart("what is 1 + 1?"),))
    assert not await model.is_kept(instance, question)
    await model.complete(instance, question)
    assert await model.is_kept(instance, question)
    assert not await model.is_kept(instance, Question((TextPart("what is 1 + 2?"),)))
    assert len(provider.asked) == 1


@pytest.mark.parametrize(
    ("error", "calls"), [(FaultError("no connection"), 3), (RejectedError("HTTP 400: no images"), 1)]
)
async def test_without_an_answer_the_model_cannot_be_asked(error: Exception, calls: int) -> None:
    provider = Provider(error=error)
    with pytest.raises(ModelAccessError, match=r"(no connection|no images).*--no-preflight"):
        await _model(provider).preflight(with_image=True)
    assert len(provider.asked) == calls


async def test_it_is_left_out_if_that_is_wanted() -> None:
    unwilling, provider = Provider(preflight=False), Provider()
    await _model(unwilling).preflight(with_image=True)
    await _model(provider, preflight=False).preflight(with_image=True)
    assert not unwilling.asked
    assert not provider.asked


async def test_it_counts_in_the_budget() -> None:
    budget = Budget(tokens=86)
    await _model(Provider(), budget=budget).preflight(with_image=False)
    with pytest.raises(ModelError, match="86 tokens is spent"):
        budget.require()


async def test_its_price_counts_in_a_budget_of_dollars(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[servers."http://127.0.0.1:1/v1"]\n"openai/tiny" = { in = 1000000.0, out = 0.0 }\n')
    budget = Budget(cost=80.0)
    model = _model(Provider(), budget=budget, prices=prices)
    await model.preflight(with_image=False)
    budget.require()
    await model.preflight(with_image=False)
    with pytest.raises(ModelError, match="80 USD is spent"):
        budget.require()
