"""What evaluations keep of renderers and metrics: nothing is done twice, and no number changes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from i2s_client.metrics import AsyncMetricsClient
from i2s_client.render import AsyncRenderClient
from i2s_sdk import evaluate
from i2s_sdk.models.baselines import Oracle
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.run.caches import RENDERS, SCORES, open_entries
from i2s_sdk.run.evaluate import ModelRun, evaluate_models
from i2s_sdk.run.finalize import RunResult
from i2s_sdk.settings import Settings
from i2s_wire.metrics.score import Score
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import RenderRequest
from kept_services import kept_services

pytestmark = pytest.mark.integration

LIMIT = 2


@pytest.fixture(scope="module")
def pages_running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings that name a renderer of pages, and a metric service that has no weights of networks."""
    nowhere = {name: str(tmp_path_factory.mktemp("none")) for name in ("XDG_CACHE_HOME", "TORCH_HOME")}
    services = ("render-html", "metrics")
    with kept_services(tmp_path_factory.mktemp("logs"), {**os.environ, **nowhere}, services) as settings:
        yield settings


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Counts the calls of the real services."""
    counted: Counter[str] = Counter()
    render, score = AsyncRenderClient.render, AsyncMetricsClient.score

    async def counted_render(self: AsyncRenderClient, request: RenderRequest, **more: float) -> Rendering:
        counted["render"] += 1
        return await render(self, request, **more)

    async def counted_score(self: AsyncMetricsClient, *pair: Any, **more: Any) -> Score:
        counted["score"] += 1
        return await score(self, *pair, **more)

    monkeypatch.setattr(AsyncRenderClient, "render", counted_render)
    monkeypatch.setattr(AsyncMetricsClient, "score", counted_score)
    return counted


@pytest.fixture(params=["folder", "store"])
def kept(request: pytest.FixtureRequest, pages_running: Settings, tmp_path: Path) -> Settings:
    """Settings of services that run, with caches of their own in a folder or below a URL."""
    where = str(tmp_path / "caches") if request.param == "folder" else f"memory://caches/{tmp_path.name}"
    return replace(
        pages_running,
        render_cache="yes",
        score_cache="yes",
        evaluation_caches=where,
        reference_points="no",
    )


class Page(Model):
    """A model that answers every image with one page."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self._text = name, text

    async def complete(self, instance: object, question: object) -> Completion:
        files = f'[{{"filename": "index.html", "content": "<h1>{self._text}</h1>"}}]'
        return Completion(f"```json\n{files}\n```", Finish.STOP)


def results(folder: Path) -> bytes:
    return (folder / "results.json").read_bytes()


def test_the_ground_truth_is_rendered_once_for_all_models_and_runs(
    kept: Settings, calls: Counter[str], tmp_path: Path
) -> None:
    models = [Page("mine/a", "first"), Page("mine/b", "second")]
    runs = [ModelRun(model, tmp_path / model.name[-1]) for model in models]
    ended = evaluate_models(None, runs, kept, tasks=["webpage"], limit=LIMIT)
    assert all(isinstance(one, RunResult) and one.summary.scored == LIMIT for one in ended)
    assert calls["render"] <= 3 * LIMIT, "each ground truth once, and each answer of the two models"
    before = calls.copy()
    evaluate(model=Page("mine/c", "third"), out=tmp_path / "c", settings=kept, tasks=["webpage"], limit=LIMIT)
    assert calls["render"] - before["render"] <= LIMIT, "only what the third model answered is rendered"
    before = calls.copy()
    evaluate(model=Page("mine/c", "third"), out=tmp_path / "d", settings=kept, tasks=["webpage"], limit=LIMIT)
    assert calls == before, "the same answers of another run are neither rendered nor compared"
    assert results(tmp_path / "c") == results(tmp_path / "d")


@pytest.mark.parametrize("kept", ["folder"], indirect=True)
def test_the_ground_truth_is_rendered_once_for_all_models_and_reference_points_without_caches(
    kept: Settings, calls: Counter[str], tmp_path: Path
) -> None:
    settings = replace(kept, render_cache="no", reference_points="yes")
    settings = replace(settings, reference_points_cache=tmp_path / "points")
    runs = [ModelRun(Page(f"mine/{one}", one), tmp_path / one) for one in ("a", "b")]
    evaluate_models(None, runs, settings, tasks=["webpage"], limit=1)
    answers = 2 + 3  # of the models; blank, constant and the oracle: there is nothing to shuffle
    assert calls["render"] == 1 + answers


def test_results_are_the_same_bytes_without_caches_with_empty_ones_and_with_full_ones(
    kept: Settings, calls: Counter[str], tmp_path: Path
) -> None:
    without = replace(kept, render_cache="no", score_cache="no")
    found = []
    for name, settings in (("without", without), ("empty", kept), ("full", kept)):
        before = calls.copy()
        evaluate(model=Oracle(), out=tmp_path / name, settings=settings, tasks=["webpage"], limit=LIMIT)
        found.append(results(tmp_path / name))
        made = calls - before
        assert bool(made) == (name != "full"), made
    assert found[0] == found[1] == found[2]
    assert open_entries(kept, RENDERS).size().entries > 0
    assert open_entries(kept, SCORES).size().entries > 0


@pytest.mark.parametrize("kept", ["folder"], indirect=True)
def test_damaged_entries_are_made_again_and_change_nothing(kept: Settings, tmp_path: Path) -> None:
    evaluate(model=Oracle(), out=tmp_path / "a", settings=kept, tasks=["webpage"], limit=LIMIT)
    for path in Path(str(kept.evaluation_caches)).rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-1])
    evaluate(model=Oracle(), out=tmp_path / "b", settings=kept, tasks=["webpage"], limit=LIMIT)
    assert results(tmp_path / "a") == results(tmp_path / "b")
