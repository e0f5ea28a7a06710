"""Cheap jobs cannot buy much CPU time of background builds, by what the service counts itself."""

from __future__ import annotations

import asyncio

import pytest

from i2s_chassis.limits import Limits
from i2s_render_latex.engine import LatexRenderer
from i2s_render_latex.formats import BuildBudget, BuildShares
from i2s_render_latex.model import LatexJob
from i2s_render_latex.settings import LatexSettings
from i2s_wire.render.rendering import Verdict

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300)]

_JOBS = 9
_CHEAP = Limits(cpu_seconds=0.2, wall_seconds=60.0)
_HEAVY = r"""\documentclass{article}
\usepackage{pgfplots,amsmath,amssymb,siunitx,listings,booktabs,longtable}
\usetikzlibrary{calc,positioning,arrows.meta,decorations.pathmorphing,shapes.geometric,patterns,intersections}
\usepgfplotslibrary{fillbetween,groupplots,polar}
"""
_ENDLESS = "\\documentclass{article}\n\\loop\\iftrue\\repeat\n"
#: CPU seconds that one build may use, and what it can use until the jail has noticed.
_ONE_BUILD = 10.0 + 1.0


class Counting(BuildBudget):
    """The budget, with what was charged; its minute never passes, so that nothing is refilled."""

    def __init__(self, shares: BuildShares) -> None:
        super().__init__(shares, clock=lambda: 0.0)
        self.charges: list[float] = []

    def charge(self, caller: str, cpu_seconds: float) -> None:
        self.charges.append(cpu_seconds)
        super().charge(caller, cpu_seconds)


@pytest.mark.parametrize(
    "preamble",
    [
        pytest.param(_HEAVY, id="heavy packages", marks=pytest.mark.nightly(instead="preambles without end")),
        pytest.param(_ENDLESS, id="without end"),
    ],
)
async def test_nine_cheap_jobs_buy_no_more_than_a_share_and_one_build(
    engine, open_folder, tmp_path, preamble
):
    shares = BuildShares()
    # Each preamble is hot at once: the most builds that nine jobs can ask for.
    settings = LatexSettings(state_dir=open_folder / tmp_path.name, format_after=1)
    attacked = LatexRenderer(settings, engine._jail, engine.installation, engine._index)
    budget = attacked._formats._budget = Counting(shares)
    make, making = attacked._formats._make_both, []

    async def noted(*arguments):
        making.append(True)
        try:
            return await make(*arguments)
        finally:
            making.pop()

    attacked._formats._make_both = noted
    async with attacked.open({}):
        for number in range(_JOBS):
            source = (
                f"{preamble}\\newcommand\\number{chr(97 + number)}{{}}\n\\begin{{document}}x\\end{{document}}"
            )
            rendering = await attacked.render(LatexJob(source.encode(), limits=_CHEAP))
            assert rendering.verdict is Verdict.TIME_LIMIT
        while making or not attacked._formats._wanted.empty():
            await asyncio.sleep(0.05)
    assert budget.charges
    assert sum(budget.charges[:-1]) < shares.caller, budget.charges
    assert max(budget.charges) < _ONE_BUILD, budget.charges
    assert sum(budget.charges) < shares.caller + _ONE_BUILD
