"""A score that takes memory without end has the same verdict in every tier, as an ordinary user too."""

from __future__ import annotations

import json

import pytest

from ordinary_user import run_as_ordinary_user

pytestmark = [pytest.mark.security, pytest.mark.timeout(300)]

_SOURCES = ("protos", "services/chassis", "services/render-lilypond")
_BOMBS = {
    "many vectors": "#(let loop ((kept '())) (loop (cons (make-vector 1000000 0) kept)))",
    "one string": "#(define a (make-string 1500000000 #\\x))",
    "one vector": "#(define a (make-vector 200000000 0))",
    "a string that doubles": "#(let loop ((s (make-string 1000000 #\\x))) (loop (string-append s s)))",
    "a vector that doubles": "#(let loop ((n 1000000)) (make-vector n 0) (loop (* 2 n)))",
}
_RENDERS = """
import asyncio, json, sys
from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_chassis.limits import Limits
from i2s_render_lilypond.engine import open_engine
from i2s_render_lilypond.settings import LilypondSettings
from i2s_render_lilypond.installation import find_installation
from i2s_render_lilypond.model import LilypondJob, Options
from i2s_chassis.warm.program import WarmSettings

TIERS = {
    "namespace": JailSettings(tier=Tier.NAMESPACE),
    "landlock": JailSettings(tier=Tier.LANDLOCK, private_mounts=False, control_groups=False),
}

async def main(bombs):
    limits = Limits(cpu_seconds=30, wall_seconds=90, processes=12, memory_bytes=512 * 1024 * 1024)
    found = {}
    for name, settings in TIERS.items():
        jail = await Jail.start(settings)
        settings = LilypondSettings(warm="zygote", warm_spare=0, limit=limits)
        async with open_engine(jail, find_installation(), settings) as engine:
            for bomb, music in bombs.items():
                for cold in (False, True):
                    score = f'\\\\version "2.24.0"\\n{music}\\n{{ c4 }}'.encode()
                    job = LilypondJob(score, options=Options(cold=cold), limits=limits)
                    rendering = await engine.render(job)
                    found[f"{name}, {bomb}, {'cold' if cold else 'warm'}"] = rendering.verdict.name
        await jail.close()
    print(json.dumps(found))

asyncio.run(main(json.loads(sys.argv[1])))
"""


def test_memory_without_end_is_a_memory_limit_in_every_tier() -> None:
    done = run_as_ordinary_user(
        "-c", _RENDERS, json.dumps(_BOMBS), sources=_SOURCES, modules=["i2s_render_lilypond.job_folder"]
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert len(found) == 4 * len(_BOMBS)
    assert {name: verdict for name, verdict in found.items() if verdict != "MEMORY_LIMIT"} == {}
