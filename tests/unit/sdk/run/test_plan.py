"""The arguments that all who begin a run share."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk import dry_run, evaluate, generate
from i2s_sdk.data import Selection, Shard, read_folder
from i2s_sdk.errors import ModelError, UsageError
from i2s_sdk.models import Completion, ModelOptions
from i2s_sdk.run.generate import answer_of, failed_answer
from i2s_sdk.run.plan import SelectionArgs, choose, facts, plan_run, resolve_selection
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.settings import Settings
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.isolation import Isolation, IsolationTier
from i2s_wire.render.rendering import Engine
from i2s_wire.render.resources import Limits
from tiny_formulas import write_tiny_formulas


def test_without_arguments_all_is_taken_by_the_profile_of_the_settings():
    settings = Settings(profile="helm")
    choice = resolve_selection(None, settings)
    assert choice.profile is Profile.HELM
    assert choice.instances == choice.whole == tuple(choice.data.instances)


def test_each_argument_takes_its_part():
    settings = Settings()
    wanted: SelectionArgs = {"profile": "helm", "tasks": ["latex"], "limit": 4, "seed": 7, "shard": "1/2"}
    choice = resolve_selection(None, settings, **wanted)
    assert choice.profile is Profile.HELM
    assert list(choice.tasks) == ["latex"]
    assert len(choice.whole) == 4
    assert choice.selection.seed == 7
    assert choice.selection.shard == Shard.parse("1/2")


def test_an_unknown_task_is_an_error_of_the_caller():
    with pytest.raises(UsageError, match="poetry"):
        resolve_selection(None, Settings(), tasks=["poetry"])


@pytest.mark.parametrize("begin", [evaluate, generate, dry_run])
def test_an_argument_that_does_not_exist_is_named_before_anything_begins(begin, tmp_path):
    with pytest.raises(TypeError, match="unexpected keyword argument sample_ids; there are profile, tasks"):
        begin(out=tmp_path / "run", sample_ids=["a"])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("versions", "fonts"),
    [({"font-source": "system"}, "system"), ({"font-source": "locked"}, "locked"), ({}, None)],
)
def test_a_run_says_which_fonts_its_pages_were_drawn_with(
    tmp_path: Path, versions: dict[str, str], fonts: str | None
) -> None:
    data = read_folder(write_tiny_formulas(tmp_path / "data", 1).folder)
    plan = plan_run(choose(data, Profile.PAPER, (), Selection()), "mine", "")
    renderer = RendererDescription(
        service="render-html",
        version="1",
        engine=Engine("chromium", "1", "e1"),
        versions=versions,
        fonts_digest="f1",
        isolation=Isolation(IsolationTier.NAMESPACE, ()),
        default_limits=Limits(),
        max_limits=Limits(),
        sources=("site",),
        max_request_bytes=1,
        slots=1,
        queue=1,
        warm=(),
    )
    found = facts(plan, [renderer], None)
    assert (found["render-html fonts digest"], found.get("render-html fonts")) == ("f1", fonts)


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


def test_the_request_to_revise_a_page_is_counted_with_the_code() -> None:
    data = Path(__file__).resolve().parents[4] / "examples" / "design2code"
    counted = [
        dry_run(data, "openai/gpt-4o", options=ModelOptions(cache=None, max_tokens=longest), limit=1, turns=2)
        for longest in (1000, 2000)
    ]
    more = counted[1].estimate.tokens_in - counted[0].estimate.tokens_in
    assert more == pytest.approx(2 * 1000, rel=0.1), "the answer, and the code of it once more"
