"""What an evaluation would ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk import dry_run
from i2s_sdk.errors import ModelError, UsageError
from i2s_sdk.models import Completion, ModelOptions
from i2s_sdk.run.storage.answer import answer_of, failed_answer
from i2s_sdk.run.storage.folder import RunFolder
from tiny_formulas import write_tiny_formulas


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_tiny_formulas(tmp_path / "data", 7).folder


def test_calls_tokens_and_cost_are_counted_without_a_key(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"openai/tiny" = { in = 1.0, out = 10.0 }\n')
    options = ModelOptions(cache=None, prices=prices, max_tokens=50)
    found = dry_run(data, "openai/tiny", limit=5, out=tmp_path / "run", options=options)
    assert (found.samples, found.answered) == (5, 0)
    assert (found.estimate.images, found.estimate.calls, found.estimate.tokens_out) == (5, 5, 250)
    assert found.estimate.cost == pytest.approx((found.estimate.tokens_in + 250 * 10) / 1e6)
    assert not (tmp_path / "run").exists()


def test_what_the_run_folder_has_is_not_counted_and_what_failed_is(data: Path, tmp_path: Path) -> None:
    with RunFolder.open(tmp_path / "run") as folder:
        folder.put_answer("tiny-0", answer_of(Completion("x"), 0.0))
        folder.put_answer("tiny-1", failed_answer(ModelError("no"), 0.0))
    found = dry_run(data, "openai/tiny", out=tmp_path / "run", options=ModelOptions(cache=None))
    assert (found.samples, found.answered, found.estimate.calls) == (7, 1, 6)


def test_a_model_that_is_not_called_takes_no_calls(data: Path) -> None:
    assert dry_run(data, "oracle").estimate.calls == 0


@pytest.mark.parametrize("model", ["opnai/x", "openai/", "inspect/x", "replay:/nowhere"])
def test_a_name_that_means_nothing_is_told(model: str, data: Path) -> None:
    with pytest.raises(UsageError):
        dry_run(data, model)
