"""What is written down about the start of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.data import Selection, read_folder
from i2s_sdk.run.facts import facts
from i2s_sdk.run.plan import choose, plan_run
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.isolation import Isolation, IsolationTier
from i2s_wire.render.rendering import Engine
from i2s_wire.render.resources import Limits
from tiny_formulas import write_tiny_formulas


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
