"""Browsers in a real jail, and what must be as before after every attack."""

import asyncio
import os
import socket
import tempfile
import threading
from pathlib import Path

import pytest
import pytest_asyncio

from i2s_chassis.jail import Jail, JailSettings, PolicyKind, Tier
from i2s_chassis.limits import Limits
from i2s_render_html.browser import BrowserSettings
from i2s_render_html.chromium import find_chromium
from i2s_render_html.engine import HtmlEngine
from i2s_render_html.jekyll import JekyllBuilder, JekyllSettings
from i2s_render_html.model import Options, SiteJob
from i2s_render_html.sandbox import choose_sandbox
from i2s_render_html.settings import HtmlSettings
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File

MARK = "SECRETMARK"
WITH_TEXT = Options(want_text=True)
LIMITS = Limits(
    cpu_seconds=4.0, wall_seconds=30.0, memory_bytes=1200 << 20, processes=400, disk_bytes=512 << 20
)
UIDS = 16
UID_BASE = 24_000 + os.getpid() % 1900 * UIDS  # apart from other runs of this file and from services

GOOD = SiteJob(
    (
        File(
            "index.html", b"<title>Good</title><link rel=stylesheet href=a.css><h1>Good</h1><img src=a.svg>"
        ),
        File("a.css", b"h1 { color: teal; font-family: serif }"),
        File(
            "a.svg", b"<svg xmlns='http://www.w3.org/2000/svg' width='99' height='99'><circle r='50'/></svg>"
        ),
    ),
    options=Options(want_text=True),
)


class Canary:
    """A port of the loopback that nobody may touch."""

    def __init__(self):
        self.touched = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            try:
                connection, address = self._socket.accept()
            except OSError:
                return
            self.touched.append(address)
            connection.close()

    def close(self):
        self._socket.close()


class Attacked:
    """The engine, and what must hold after each attack."""

    def __init__(self, engine, jail_folder, secret, canary, good):
        self.engine, self.canary, self.good = engine, canary, good
        self._jail_folder, self._secret = jail_folder, secret

    async def show(self, page, *, files=(), assets=(), limits=LIMITS, options=WITH_TEXT, entry=""):
        """Render a page with PORT and SECRETFILE put in, then look whether anything is harmed."""
        page = page.replace("PORT", str(self.canary.port)).replace("SECRETFILE", str(self._secret))
        job = SiteJob((File("index.html", page.encode()), *files), assets, entry, options, limits)
        return await self.render(job)

    async def render(self, job):
        rendering = await self.engine.render(job)
        await self.is_unharmed(rendering)
        return rendering

    async def is_unharmed(self, rendering):
        assert MARK not in repr(rendering)
        assert "root:x:0" not in rendering.site.text
        again = await self.engine.render(GOOD)
        assert (again.verdict, again.message) == (Verdict.RENDERED, "")
        assert again.picture.png == self.good, "the next good page looks different"
        assert self.canary.touched == []
        assert self._secret.read_text() == MARK
        assert [path.name for path in self._secret.parent.iterdir()] == [self._secret.name]

    async def browsers_left(self):
        """Count the jobs that are alive once the engine has closed what it wanted to close."""
        async with asyncio.timeout(60):
            while len(list(self._jail_folder.iterdir())) > 2:  # one browser, one prepared Jekyll
                await asyncio.sleep(0.02)
        return _roots_of_jobs()


def _roots_of_jobs():
    """The browsers among the processes of jobs: those that no other process of a job has started."""
    if os.geteuid() != 0:
        return None
    parents = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and UID_BASE <= entry.stat().st_uid < UID_BASE + UIDS:
                status = (entry / "status").read_text()
                parents[int(entry.name)] = int(status.partition("PPid:")[2].split()[0])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return [pid for pid, parent in parents.items() if parent not in parents]


def events(rendering, kind):
    """The details of the policy events of a kind."""
    return " ".join(event.detail for event in rendering.events if event.kind is PolicyKind[kind])


@pytest_asyncio.fixture(
    scope="session",
    loop_scope="session",
    params=[Tier.NAMESPACE, Tier.LANDLOCK],
    ids=["namespace", "landlock"],
)
async def attacked(request):
    with tempfile.TemporaryDirectory(prefix="i2s-attacks-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "secrets").mkdir()
        secret = folder / "secrets" / "secret.html"
        secret.write_text(MARK)
        secret.chmod(0o644)
        jail = await Jail.start(
            JailSettings(tier=request.param, state_dir=folder / "jail", uid_base=UID_BASE, uid_count=UIDS)
        )
        if not jail.shows_processes:
            await jail.close()
            pytest.skip(
                "no browser starts in the tier landlock unless the tests are root and may mount a /proc"
            )
        canary = Canary()
        settings = HtmlSettings(slots=1, settle_seconds=3.0)
        chromium = find_chromium(settings.chromium)
        async with JekyllBuilder(jail, JekyllSettings(limits=LIMITS)) as builder:
            choice = await choose_sandbox(jail, BrowserSettings(settings, chromium), "auto")
            engine = HtmlEngine(choice, jail, builder)
            async with engine.open():
                good = await engine.render(GOOD)
                assert good.verdict is Verdict.RENDERED, good.message
                yield Attacked(engine, jail.folder, secret, canary, good.picture.png)
        canary.close()
        await jail.close()


@pytest.fixture(scope="session")
def event_details():
    return events
