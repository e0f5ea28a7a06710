"""The engine of Python programs in one tier, and what must be as before after each attack on it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_chassis.contract.process import processes_with
from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_render_python.engine import PythonEngine, open_engine
from i2s_render_python.installation import find_installation
from i2s_render_python.model import DrawnProgram, Options, PythonJob
from i2s_render_python.settings import PythonSettings
from i2s_wire.render.rendering import Verdict

MARK = "SECRETMARK"
#: Name of processes that an attack leaves behind.
LEFT = "i2s-left-behind"
MIB = 1024 * 1024
LIMITS = replace(
    PythonSettings().limit, cpu_seconds=2.0, wall_seconds=60.0, memory_bytes=384 * MIB, processes=24
)
#: CPU seconds for the start of a cold interpreter, of which a slow machine needs 2.
COLD_START = 8.0
TIERS = {
    "namespace": JailSettings(tier=Tier.NAMESPACE),
    "landlock": JailSettings(tier=Tier.LANDLOCK, private_mounts=False, control_groups=False),
}
UIDS = 16
UID_BASE = 94_000 + os.getpid() % 1900 * UIDS  # apart from other runs and from services
GOOD = b"""\
import matplotlib.pyplot as plt, numpy as np, random
plt.plot(np.random.rand(5)); plt.title(f"Good $x^2$ {random.random()}"); plt.show()
"""


class Attacked:
    """The engine, and what attacks aim at.

    Attributes:
        engine: The engine, with warm interpreters.
        secret: A file of the host that all users may read.
        port: One of 127.0.0.1 that is listened to.
    """

    def __init__(self, engine: PythonEngine, jail: Jail, folder: Path, listener: socket.socket) -> None:
        self.engine, self._jail, self._folder, self._listener = engine, jail, folder, listener
        self.secret = folder / "secret.txt"
        self.secret.write_text(MARK)
        self.port = listener.getsockname()[1]
        self._good: list[bytes] = []

    async def draw_good(self) -> None:
        """Draw what the good program has to give after each attack."""
        self._good = await self._pictures()

    async def run(
        self, program: str, *, cold: bool = False, limits=LIMITS, files=(), objects=False, names=()
    ) -> DrawnProgram:
        """Return what became of a program, after a look around and a good program."""
        program = program.replace("SECRETFILE", str(self.secret)).replace("CANARYPORT", str(self.port))
        if cold:
            limits = replace(limits, cpu_seconds=limits.cpu_seconds + COLD_START)
        options = Options(cold=cold, want_objects=objects, restored_names=names)
        job = PythonJob(program.encode(), files, options, limits)
        drawn = await self.engine.render(job)
        assert MARK not in f"{drawn.message} {drawn.error}"
        assert MARK.encode() not in drawn.log.whole
        assert bool(drawn.pictures) == drawn.verdict.has_picture
        assert await self._pictures() == self._good
        await self._nothing_is_left()
        return drawn

    async def _pictures(self) -> list[bytes]:
        drawn = await self.engine.render(PythonJob(GOOD, limits=LIMITS))
        assert drawn.verdict is Verdict.RENDERED, drawn.message
        assert drawn.stages[0].detail == "zygote"
        return [picture.png for picture in drawn.pictures]

    async def _nothing_is_left(self) -> None:
        assert self.secret.read_text() == MARK
        assert [path.name for path in self._folder.iterdir()] == [self.secret.name]
        with pytest.raises(BlockingIOError):
            self._listener.accept()
        async with asyncio.timeout(60):  # a warm interpreter whose program left something is ended afterwards
            while processes_with(LEFT):
                await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def attacked(tier: str):
    """Open the engine in a tier."""
    with tempfile.TemporaryDirectory(prefix="i2s-secret-") as name, socket.socket() as listener:
        folder = Path(name)
        folder.chmod(0o755)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        settings = replace(TIERS[tier], uid_base=UID_BASE, uid_count=UIDS)
        jail = await Jail.start(settings)
        # Attacks end interpreters; with few modules they are soon replaced.
        installation = replace(find_installation(PythonSettings().fonts), modules=())
        warm = PythonSettings(warm="zygote", warm_spare=0, limit=LIMITS)
        async with open_engine(jail, installation, warm) as engine:
            found = Attacked(engine, jail, folder, listener)
            await found.draw_good()
            yield found
        assert not list(jail.folder.iterdir())
        await jail.close()
