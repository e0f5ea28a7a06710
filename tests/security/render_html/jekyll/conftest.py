"""A builder with real Jekyll, and what must be as before after every attack on it."""

import asyncio
import os
import tempfile
from pathlib import Path

import pytest_asyncio

from hostile_sites import GOOD, MARK
from i2s_chassis.jail import Jail, JailSettings
from i2s_chassis.limits import Limits
from i2s_render_html.jekyll import BuildCause, JekyllBuilder, JekyllSettings

LIMITS = Limits(cpu_seconds=2.0, wall_seconds=30.0, memory_bytes=256 * 1024 * 1024)
UIDS = 16
UID_BASE = 28_000 + os.getpid() % 1000 * UIDS  # apart from other runs and from services


class Attacked:
    """The builder, and what must be as before after each attack."""

    def __init__(self, builder, jail_folder, secrets, good):
        self.builder, self.jail_folder, self.secrets, self.good = builder, jail_folder, secrets, good
        self.limits = LIMITS

    async def build(self, files, limits=LIMITS):
        files = {name: text.replace(b"SECRETS", str(self.secrets).encode()) for name, text in files.items()}
        built = await self.builder.build(files, limits)
        shown = str(built.error).encode() + built.log.whole + b"".join((built.files or {}).values())
        assert MARK.encode() not in shown
        assert b"OWNED" not in shown
        assert b"root:x:0" not in shown
        await self.nothing_is_left()
        return built

    async def nothing_is_left(self):
        async with asyncio.timeout(60):  # a new process is being prepared meanwhile
            while len(list(self.jail_folder.iterdir())) > 1 or len(_processes_of_jobs()) > 1:
                await asyncio.sleep(0.01)
        names = sorted(str(path.relative_to(self.secrets)) for path in self.secrets.rglob("*"))
        assert names == ["_secret.scss", "secret.html", "secret.md", "secret.rb", "secret.yml"]
        assert all(MARK in path.read_text() for path in self.secrets.iterdir())
        again = await self.builder.build(GOOD, LIMITS)
        assert (again.cause, again.files) == (BuildCause.BUILT, self.good)


def _processes_of_jobs():
    if os.geteuid() != 0:
        return []
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and UID_BASE <= entry.stat().st_uid < UID_BASE + UIDS:
                found += [entry.name] if "ruby" in (entry / "comm").read_text() else []
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def attacked():
    with tempfile.TemporaryDirectory(prefix="i2s-jekyll-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        secrets = folder / "secrets"
        secrets.mkdir()
        (secrets / "secret.html").write_text(MARK)
        (secrets / "secret.md").write_text(f"---\ntitle: {MARK}\n---\n{MARK}")
        (secrets / "secret.yml").write_text(f"a: {MARK}")
        (secrets / "secret.rb").write_text(f'puts "{MARK}"; File.write("out/evil.html", "OW" + "NED")')
        (secrets / "_secret.scss").write_text(f".{MARK} {{ a: b }}")
        for path in secrets.iterdir():
            path.chmod(0o644)
        settings = JailSettings(state_dir=folder / "jail", uid_base=UID_BASE, uid_count=UIDS)
        jail = await Jail.start(settings)
        async with JekyllBuilder(jail, JekyllSettings(processes=1, limits=LIMITS)) as builder:
            good = await builder.build(GOOD, LIMITS)
            assert good.cause is BuildCause.BUILT
            yield Attacked(builder, jail.folder, secrets, good.files)
        await jail.close()
