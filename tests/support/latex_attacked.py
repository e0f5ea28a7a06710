"""The engine of LaTeX under attack, and what must be as before after each attack."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import RawRendering
from i2s_render_latex.engine import LatexRenderer
from i2s_render_latex.installation import find_installation
from i2s_render_latex.model import LatexJob, Options
from i2s_render_latex.preparation import prepare_fonts, unpack_formats
from i2s_render_latex.settings import LatexSettings
from i2s_render_latex.texindex import TexIndex, build_index, tree_roots
from i2s_wire.render.options import LatexEngine as TexEngine
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File
from latex_state import lay_out_prepared

PREAMBLE = "\\documentclass{article}\n\\usepackage{graphicx,tikz,listings,verbatim}\n"
MARK = "SECRETMARK"
LIMITS = Limits(cpu_seconds=3.0, wall_seconds=20.0)
UIDS = 16
UID_BASE = 20_000 + os.getpid() % 1900 * UIDS  # apart from other runs of these tests and from services


def document(body: str, preamble: str = PREAMBLE) -> bytes:
    """Return a document with a body."""
    return f"{preamble}\\begin{{document}}\n{body}\n\\end{{document}}\n".encode()


GOOD = document("Good $\\sum_i x_i$ \\tikz \\draw (0,0) circle (1cm);")


class Attacked:
    """The engine under attack.

    Attributes:
        engine: The engine.
        jail_folder: Folder in which its jail makes the folders of jobs.
        secret: A file of the host with the mark.
        good: Images of the good document, by the engine of TeX.
        tex: Engine of TeX that compiles attacks and the good document.
    """

    def __init__(self, engine: LatexRenderer, jail_folder: Path, secret: Path, tex: TexEngine) -> None:
        self.engine, self.jail_folder, self.secret, self.tex = engine, jail_folder, secret, tex
        self.good: list[bytes] = []

    async def draw_good(self) -> RawRendering:
        """Render the good document."""
        return await self.engine.render(LatexJob(GOOD, options=Options(engine=self.tex), limits=LIMITS))

    async def render(
        self,
        body: str,
        *,
        files: tuple[File, ...] = (),
        limits: Limits = LIMITS,
        source: bytes | None = None,
    ) -> RawRendering:
        """Render an attack, and look whether everything is as before."""
        body = body.replace("SECRETFILE", str(self.secret))
        job = LatexJob(source or document(body), files, Options(engine=self.tex), limits)
        rendering = await self.engine.render(job)
        await self.nothing_is_left(rendering)
        return rendering

    async def nothing_is_left(self, rendering: RawRendering) -> None:
        """Look whether a rendering has the secret, or anything of it is left."""
        assert MARK.encode() not in rendering.log.whole
        assert MARK not in rendering.message
        assert MARK not in str(rendering.error)
        assert list(self.jail_folder.iterdir()) == []
        async with asyncio.timeout(30):  # what was killed takes some milliseconds to vanish
            while _processes_of_jobs():
                await asyncio.sleep(0.005)
        assert self.secret.read_text() == MARK
        assert [path.name for path in self.secret.parent.iterdir()] == [self.secret.name]
        again = await self.draw_good()
        assert [picture.png for picture in again.pictures] == self.good

    async def shows(self, body: str, expected: str) -> bool:
        """Return whether a body gives the image of another body."""
        attack = await self.render(body)
        job = LatexJob(document(expected), options=Options(engine=self.tex), limits=LIMITS)
        innocent = await self.engine.render(job)
        assert attack.verdict is innocent.verdict
        return [picture.png for picture in attack.pictures] == [picture.png for picture in innocent.pictures]


def _processes_of_jobs() -> list[str]:
    if os.geteuid() != 0:
        return []
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and UID_BASE <= entry.stat().st_uid < UID_BASE + UIDS:
                found.append(entry.name)
        except FileNotFoundError:
            continue
    return found


@asynccontextmanager
async def attacked_engine(
    folder: Path,
    tex: TexEngine = TexEngine.PDFLATEX,
    tier: Tier | None = None,
    state: Path | None = None,
) -> AsyncIterator[Attacked]:
    """Have an engine to attack as long as the block lasts.

    Args:
        folder: Folder that the users of jobs can reach.
        tex: Engine of TeX that compiles documents.
        tier: Tier of the jail; None takes the strongest.
        state: Folder in which fonts are prepared, for engines that need any.
    """
    (folder / "tree/tex/latex").mkdir(parents=True)
    tools = next(root for root in tree_roots() if (root / "tex/latex/tools").is_dir())
    (folder / "tree/tex/latex/tools").symlink_to(tools / "tex/latex/tools")
    build_index([folder / "tree"], folder / "index")
    (folder / "secrets").mkdir()
    secret = folder / "secrets" / "secret.tex"
    secret.write_text(MARK)
    secret.chmod(0o644)
    jail_settings = JailSettings(state_dir=folder / "jail", uid_base=UID_BASE, uid_count=UIDS, tier=tier)
    jail = await Jail.start(jail_settings)
    index = TexIndex.load(folder / "index")
    installation = find_installation()
    if state and not (state / "fonts").exists():
        lay_out_prepared(state)
    fonts = await prepare_fonts(state, installation) if state else None
    unpacked = await unpack_formats(state or folder, installation)
    settings = LatexSettings(state_dir=folder)
    engine = LatexRenderer(settings, jail, installation, index, fonts=fonts, unpacked=unpacked)
    async with engine.open({"attacked": PREAMBLE.encode()}):
        attacked = Attacked(engine, jail.folder, secret, tex)
        good = await attacked.draw_good()
        assert good.verdict is Verdict.RENDERED
        attacked.good = [picture.png for picture in good.pictures]
        yield attacked
    index.close()
    await jail.close()
