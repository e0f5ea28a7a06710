"""The arguments that all who begin a run share."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk import dry_run, evaluate, generate
from i2s_sdk.data import Selection, Shard, read_folder
from i2s_sdk.errors import UsageError
from i2s_sdk.run.plan import SelectionArgs, choose, facts, plan_run, resolve_selection
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
