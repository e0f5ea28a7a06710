"""The attacks on the jail: each is a program that tries something, and what must have come of it.

Run by test_jail.py, once for every tier and user, as a program of its own: an ordinary user
may not be able to reach the interpreter and the packages of the tests, so nothing is used
here but the standard library and i2s_chassis.jail.

    python attacks PACKAGE_ROOT TIER [bare] [abi=N] [counted-together] [ungrouped]

prints {attack: null or what went wrong}, and on standard error what has come of each, with the time.

``bare`` does without user namespaces, mounts and control groups; ``abi`` uses no newer Landlock than that;
``counted-together`` counts processes as kernels before 5.14 do; ``ungrouped`` does without control groups.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, sys.argv[1])

import crowds  # noqa: F401
import files  # noqa: F401
import kernel  # noqa: F401
import limits  # noqa: F401
import losses
import nesting  # noqa: F401
import older_landlock  # noqa: F401
import others  # noqa: F401
import residents  # noqa: F401
from ground import (
    ATTACKS,
    GOOD,
    LIMITS,
    Ground,
    left_of_jobs,
    offer_older_kernel,
    prepared_folder,
    settings,
    until,
)

from i2s_chassis.jail import Cause, Jail, Tier


async def judge(ground: Ground, name: str, good: bytes) -> str | None:
    """Attack, then prove that the next good job is as ever and that nothing is left."""
    try:
        await ATTACKS[name](ground)
        assert await good_job(ground) == good, "the next good job differs"
        await until(lambda: not left_of_jobs(ground))
        assert not list(ground.folder.iterdir()), f"left behind: {list(ground.folder.iterdir())}"
    except BaseException:
        return traceback.format_exc()
    return None


async def good_job(ground: Ground) -> bytes:
    """Run an ordinary job and return its result."""
    async with ground.jail.cell(LIMITS) as cell:
        ended = await cell.run(GOOD)
        assert ended.cause is Cause.EXITED, ended
        return await cell.fetch("sum.txt")


async def main(tier: Tier) -> dict[str, str | None]:
    """Attack in every way; returns what went wrong, by attack."""
    os.environ["I2S_TEST_SECRET"] = "swordfish"
    with tempfile.TemporaryDirectory(prefix="i2s-attacked-") as name, prepared_folder() as (outside, port):
        jail = await Jail.start(settings(tier, Path(name)))
        try:
            ground = Ground(jail, jail.folder, outside, port)
            good = await good_job(ground)
            judged = {}
            for attack in ATTACKS:
                judged[attack] = await judge(ground, attack, good)
                verdict = "held" if judged[attack] is None else "NOT HELD"
                print(f"{time.monotonic():.2f} {verdict}: {attack}", file=sys.stderr, flush=True)
            return judged
        finally:
            await jail.close()


if __name__ == "__main__":
    offer_older_kernel()
    if "service" in sys.argv[3:]:
        asyncio.run(losses.be_a_service(Tier[sys.argv[2]]))
    else:
        json.dump(asyncio.run(main(Tier[sys.argv[2]])), sys.stdout)
