"""Pandoc and PDFium in one tier, and what must be as before after each attack on them."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from documents_service import GOOD, pdf
from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_chassis.server.telemetry import Telemetry
from i2s_documents.conversion import Converter
from i2s_documents.installation import find_installation
from i2s_documents.model import ConvertJob, DrawJob, RawFragment
from i2s_documents.pages import DocumentDrawing
from i2s_documents.settings import DocumentsSettings
from i2s_wire.documents import FragmentFormat, ImageFormat, PageDrawing
from i2s_wire.render.rendering import Verdict

MARK = "SECRETMARK"
LIMITS = replace(DocumentsSettings().limit, cpu_seconds=5.0, wall_seconds=120.0, memory_bytes=512 << 20)
TIERS = {
    "namespace": JailSettings(tier=Tier.NAMESPACE),
    "landlock": JailSettings(tier=Tier.LANDLOCK, private_mounts=False, control_groups=False),
}
UIDS = 16
UID_BASE = 92_000 + os.getpid() % 1900 * UIDS  # apart from other runs and from services
PNG = PageDrawing(dpi=72.0, format=ImageFormat.PNG)


class Attacked:
    """Converter and page renderer, and what attacks aim at.

    Attributes:
        secret: A file of the host that all users may read.
        port: One of 127.0.0.1 that is listened to.
    """

    def __init__(self, jail: Jail, folder: Path, listener: socket.socket) -> None:
        installed = find_installation()
        self.converter = Converter(DocumentsSettings(), installed.pandoc, jail, Telemetry("documents"))
        self.page_renderer = DocumentDrawing(DocumentsSettings(max_pages_drawn=4), jail, installed)
        self.secret = folder / "secret.txt"
        self.secret.write_text(MARK)
        self.port = listener.getsockname()[1]
        self._folder, self._listener, self._jail = folder, listener, jail

    async def convert(self, text, source=FragmentFormat.LATEX, limits=LIMITS):
        """Return what became of a fragment between two good ones, after a look around."""
        content = text.encode() if isinstance(text, str) else text
        good = RawFragment("good", FragmentFormat.MARKDOWN, GOOD.encode())
        fragments = (good, RawFragment("bad", source, content), good)
        done = await self.converter.convert(ConvertJob(fragments, limits))
        assert [one.id for one in done.converted] == ["good", "bad", "good"]
        before, bad, after = done.converted
        assert before.html == after.html
        assert "<td>d</td>" in before.html
        assert MARK not in f"{bad.html} {bad.reason}"
        self.nothing_happened()
        return bad

    async def draw(self, document, limits=LIMITS, **given):
        """Return what became of the pages of a document, after a look around and a good page."""
        good = DrawJob(pdf(), PNG, limits=LIMITS)
        before = (await self.page_renderer.draw(good)).pages
        drawn = await self.page_renderer.draw(
            DrawJob(document, given.pop("drawing", PNG), limits=limits, **given)
        )
        assert (drawn.verdict is Verdict.RENDERED) == bool(drawn.pages)
        assert (await self.page_renderer.draw(good)).pages == before
        assert MARK not in drawn.message
        self.nothing_happened()
        return drawn

    def nothing_happened(self) -> None:
        """Check that the host is as before."""
        assert self.secret.read_text() == MARK
        assert [path.name for path in self._folder.iterdir()] == [self.secret.name]
        assert not list(self._jail.folder.iterdir())
        with pytest.raises(BlockingIOError):
            self._listener.accept()


@contextlib.asynccontextmanager
async def attacked(tier: str):
    """Open the converter and the page renderer in a tier."""
    with tempfile.TemporaryDirectory(prefix="i2s-secret-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.setblocking(False)
            jail = await Jail.start(replace(TIERS[tier], uid_base=UID_BASE, uid_count=UIDS))
            try:
                yield Attacked(jail, folder, listener)
            finally:
                await jail.close()
