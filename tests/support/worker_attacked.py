"""An engine that is a worker in one tier, and what must be as before after each attack on it."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import ReceivedSource
from i2s_chassis.renderer.generic import GenericJob
from i2s_chassis.renderer.model import RawRendering
from i2s_chassis.warm.program import WorkerSettings
from i2s_chassis.warm.worker_engine import WorkerEngine, open_worker_engine
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File

MARK = "SECRETMARK"
MIB = 1024 * 1024
LIMITS = Limits(cpu_seconds=3.0, wall_seconds=60.0, memory_bytes=384 * MIB, processes=24)
TIERS = {
    "namespace": JailSettings(tier=Tier.NAMESPACE),
    "landlock": JailSettings(tier=Tier.LANDLOCK, private_mounts=False, control_groups=False),
}
UIDS = 16
UID_BASE = 132_000 + os.getpid() % 1900 * UIDS  # apart from other runs and from services


class Attacked:
    """The engine, and what attacks aim at: SECRETFILE and CANARYPORT in their texts."""

    def __init__(
        self,
        engine: WorkerEngine,
        language: str,
        good: str,
        jail: Jail,
        folder: Path,
        listener: socket.socket,
    ) -> None:
        self.engine, self._language, self._good_source = engine, language, good
        self._jail, self._folder, self._listener = jail, folder, listener
        self.secret = folder / "secret.txt"
        self.secret.write_text(MARK)
        self.port = listener.getsockname()[1]
        self._good: bytes = b""

    async def draw_good(self) -> None:
        """Draw what the good source has to give after each attack."""
        self._good = await self._picture()

    async def run(
        self, text: str, files: Mapping[str, bytes] | None = None, limits: Limits = LIMITS
    ) -> RawRendering:
        """Return what became of a source, the same warm and cold, after a look around and a good source."""
        text = text.replace("SECRETFILE", str(self.secret)).replace("CANARYPORT", str(self.port))
        job = self._job(text, files, limits)
        warm = await self.engine.render(job)
        cold = await self.engine.draw_cold(job)
        assert warm.stages[0].detail == "zygote"
        assert cold.stages[0].detail == "cold"
        assert (warm.verdict, warm.message, warm.error) == (cold.verdict, cold.message, cold.error)
        assert warm.events == cold.events
        assert [picture.png for picture in warm.pictures] == [picture.png for picture in cold.pictures]
        assert MARK not in f"{warm.message} {warm.error} {warm.events}"
        assert MARK.encode() not in warm.log.whole
        assert await self._picture() == self._good
        assert self.secret.read_text() == MARK
        assert [path.name for path in self._folder.iterdir()] == [self.secret.name]
        with pytest.raises(BlockingIOError):
            self._listener.accept()
        return warm

    def _job(self, text: str, files: Mapping[str, bytes] | None, limits: Limits) -> GenericJob:
        entry = f"main.{self._language}"
        content = {entry: text.encode(), **(files or {})}
        received = ReceivedSource(self._language, entry, tuple(File(*item) for item in content.items()))
        return GenericJob(received, self.engine.options, limits)

    async def _picture(self) -> bytes:
        drawn = await self.engine.render(self._job(self._good_source, None, LIMITS))
        assert drawn.verdict is Verdict.RENDERED, drawn.message
        assert drawn.stages[0].detail == "zygote"
        return drawn.pictures[0].png


@contextlib.asynccontextmanager
async def attacked(settings: type[WorkerSettings], language: str, good: str, tier: str):
    """Open an engine in a tier.

    Args:
        settings: Its settings.
        language: Language of its sources.
        good: A source with an image.
        tier: The tier.
    """
    with tempfile.TemporaryDirectory(prefix="i2s-secret-") as name, socket.socket() as listener:
        folder = Path(name)
        folder.chmod(0o755)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        jail = await Jail.start(replace(TIERS[tier], uid_base=UID_BASE, uid_count=UIDS))
        warm = settings(warm="zygote", warm_spare=0, limit=LIMITS)
        async with open_worker_engine(warm, jail) as engine:
            found = Attacked(engine, language, good, jail, folder, listener)
            await found.draw_good()
            yield found
        assert not list(jail.folder.iterdir())
        await jail.close()
