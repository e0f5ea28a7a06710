"""The engine of scores under attack, and what must be as before after each attack."""

import asyncio
import contextlib
import os
import socket
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from chosen import chosen
from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_chassis.limits import Limits
from i2s_render_lilypond.engine import open_engine
from i2s_render_lilypond.installation import find_installation
from i2s_render_lilypond.model import LilypondJob, Options
from i2s_render_lilypond.settings import LilypondSettings
from i2s_wire.render.rendering import Verdict

MARK = "SECRETMARK"
LIMITS = Limits(cpu_seconds=3.0, wall_seconds=60.0, processes=12)
UIDS = 16
UID_BASE = 90_000 + os.getpid() % 1900 * UIDS  # apart from other runs of this file and from services
GOOD = LilypondJob(b"\\version \"2.24.0\"\n{ c'4 d' e' f' }", limits=LIMITS)
#: Settings of the jail by tier.
TIERS = {
    "strongest": JailSettings(),
    "namespace": JailSettings(tier=Tier.NAMESPACE),
    "landlock": JailSettings(tier=Tier.LANDLOCK, private_mounts=False, control_groups=False),
}
SMALL = Limits(cpu_seconds=1.0, wall_seconds=60.0, processes=12)


def chosen_tiers():
    """Return the tiers that I2S_LILYPOND_TIERS names, with commas between; the strongest if it is unset."""
    return chosen("I2S_LILYPOND_TIERS", TIERS) if "I2S_LILYPOND_TIERS" in os.environ else ("strongest",)


class Attacked:
    """The engine, and what must be as before after each attack.

    Attributes:
        unreadable: Path that is to a job as the secret is: in namespaces neither is there; Landlock, which
            does not hide files, opens neither.
    """

    def __init__(self, engine, folder, secret, canary, good, unreadable):
        self.engine, self.folder, self.secret, self.canary, self.good = engine, folder, secret, canary, good
        self.unreadable = unreadable

    async def render(self, music, *, limits=LIMITS, **options):
        score = '\\version "2.24.0"\n' + music.replace("SECRETFILE", str(self.secret))
        score = score.replace("CANARYPORT", str(self.canary.getsockname()[1]))
        rendering = await self.engine.render(
            LilypondJob(score.encode(), options=Options(**options), limits=limits)
        )
        await self.nothing_is_left(rendering)
        return rendering

    async def nothing_is_left(self, rendering):
        assert MARK.encode() not in rendering.log.whole
        assert MARK not in rendering.message
        assert MARK not in str(rendering.error)
        assert self.secret.read_text() == MARK
        assert [path.name for path in self.secret.parent.iterdir()] == [self.secret.name]
        with pytest.raises(BlockingIOError):
            self.canary.accept()
        again = await self.engine.render(GOOD)
        assert again.stages[0].detail == "zygote"
        assert [picture.png for picture in again.pictures] == self.good
        await self.only_idle_processes_run()

    async def only_idle_processes_run(self):
        """Users of jobs run nothing but warm processes (and what holds their sandboxes)."""
        async with asyncio.timeout(60):
            while any(_commands().get(name) for name in ("sh", "gs", "cat_canary", "id")):
                await asyncio.sleep(0.02)

    async def shows(self, music, expected):
        """Whether a score gives the image of another one."""
        attack = await self.render(music)
        innocent = await self.render(expected)
        assert innocent.verdict in (Verdict.RENDERED, Verdict.NO_OUTPUT)
        return [picture.png for picture in attack.pictures] == [picture.png for picture in innocent.pictures]


def _commands():
    """Number of processes of the users of jobs, by command."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and UID_BASE <= entry.stat().st_uid < UID_BASE + UIDS:
                name = (entry / "comm").read_text().strip()
                found[name] = found.get(name, 0) + 1
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


@contextlib.asynccontextmanager
async def attacked_engine(tier):
    """Run an engine in a jail of its own, beside a secret file and an address to connect to."""
    with tempfile.TemporaryDirectory(prefix="i2s-attacks-") as name, socket.socket() as canary:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "secrets").mkdir()
        secret = folder / "secrets" / "secret.ly"
        secret.write_text(MARK)
        secret.chmod(0o644)
        canary.bind(("127.0.0.1", 0))
        canary.listen()
        canary.setblocking(False)
        settings = replace(TIERS[tier], state_dir=folder / "jail", uid_base=UID_BASE, uid_count=UIDS)
        jail = await Jail.start(settings)
        engine_settings = LilypondSettings(warm="zygote", warm_spare=0, limit=LIMITS)
        async with open_engine(jail, find_installation(), engine_settings) as engine:
            good = await engine.render(GOOD)
            assert good.verdict is Verdict.RENDERED
            unreadable = "/etc/hostname" if jail.isolation.tier is Tier.LANDLOCK else "/nowhere"
            pictures = [picture.png for picture in good.pictures]
            yield Attacked(engine, folder, secret, canary, pictures, unreadable)
        assert list(jail.folder.iterdir()) == []
        await jail.close()
