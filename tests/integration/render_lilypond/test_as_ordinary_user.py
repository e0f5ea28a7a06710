"""Warm processes of a service that is no root and may make no namespaces, as in a container.

Run by a program of its own as another user. It needs an interpreter, the packages and this clone where that
user can read them, and says so where they are not.
"""

from __future__ import annotations

import subprocess

import pytest

from ordinary_user import run_as_ordinary_user

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

_SOURCES = ("protos", "services/chassis", "services/render-lilypond")
_STARTS = """
import asyncio, contextlib
from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_render_lilypond.installation import find_installation
from i2s_render_lilypond.settings import LilypondSettings
from i2s_chassis.warm.program import WarmSettings
from i2s_render_lilypond.job_folder import open_zygote

async def main():
    settings = WarmSettings(LilypondSettings().limit_table().default)
    bare = JailSettings(tier=Tier.LANDLOCK, private_mounts=False, control_groups=False)
    installation, jail = find_installation(), await Jail.start(bare)
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(jail.close)
        zygotes = [open_zygote(jail, installation, settings) for _ in range(6)]
        ready = await asyncio.gather(*map(stack.enter_async_context, zygotes))
        print(sum(zygote.alive for zygote in ready), "alive")

asyncio.run(main())
"""

_CONVERTS = """
import asyncio
from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_render_lilypond.converter import ScoreConverter
from i2s_render_lilypond.installation import find_installation
from i2s_render_lilypond.model import LilypondJob

async def main():
    bare = JailSettings(tier=Tier.LANDLOCK, private_mounts=False, control_groups=False)
    installation, jail = find_installation(), await Jail.start(bare)
    score = rb'\\version "2.10.0" { \\setTextCresc c4 }'
    converted = await ScoreConverter(jail, installation).convert(LilypondJob(score))
    print(converted.score.decode(), converted.log.whole.decode())
    await jail.close()

asyncio.run(main())
"""

_ON_OLDER_KERNELS = """
import asyncio, dataclasses, hashlib, sys
from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_chassis.jail import jail as module
from i2s_render_lilypond.engine import open_engine
from i2s_render_lilypond.installation import find_installation
from i2s_render_lilypond.model import LilypondJob
from i2s_render_lilypond.settings import LilypondSettings

survey = module.SpawnerClient.survey

async def drawn(tier, abi):
    module.SpawnerClient.survey = lambda *given: dataclasses.replace(
        survey(*given), landlock_abi=min(abi, survey(*given).landlock_abi)
    )
    settings = LilypondSettings(warm="zygote" if abi else "auto", warm_spare=0)
    limits = settings.limit
    jail = await Jail.start(JailSettings(tier=tier, private_mounts=False, control_groups=False))
    async with open_engine(jail, find_installation(), settings) as engine:
        rendering = await engine.render(LilypondJob(rb'\\version "2.24.0" { c4 d e f }', limits=limits))
        used = {stage.detail for stage in rendering.stages}
    await jail.close()
    return hashlib.sha256(rendering.pictures[0].png).hexdigest(), "zygote" in used

async def main():
    cases = [(Tier.LANDLOCK, 7), (Tier.LANDLOCK, 1), (Tier.NAMESPACE, 1), (Tier.NAMESPACE, 0)]
    found = [await drawn(*case) for case in cases]
    print(len({digest for digest, _ in found}), [warm for _, warm in found])

asyncio.run(main())
"""


def _done(program: str) -> subprocess.CompletedProcess[str]:
    return run_as_ordinary_user("-c", program, sources=_SOURCES, modules=["i2s_render_lilypond.job_folder"])


def test_zygotes_that_start_at_once_all_get_ready() -> None:
    """One for each of five slots and one to spare: none is refused a thread for what the others run."""
    done = _done(_STARTS)
    assert done.stdout == "6 alive\n", done.stderr[-3000:]


def test_old_scores_are_converted() -> None:
    """convert-ly keeps a copy of the score with its times, which no tier may forbid."""
    done = _done(_CONVERTS)
    assert '\\version "2.24' in done.stdout, done.stdout + done.stderr[-3000:]
    assert "crescTextCresc" in done.stdout


@pytest.mark.nightly(instead="attacks on the jail with older versions of Landlock, and the suite kernels")
def test_older_kernels_draw_the_same() -> None:
    """They use a warm process if there is any Landlock to keep its jobs apart, else one of their own."""
    done = _done(_ON_OLDER_KERNELS)
    assert done.stdout == "1 [True, True, True, False]\n", done.stdout + done.stderr[-3000:]
