"""Images of the pages of documents, which exist while a model is asked about them."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_client.documents import AsyncDocumentsClient
from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.task import DocumentTask
from i2s_sdk.threads import to_thread_until_done
from i2s_wire.documents import DrawnPages, ImageFormat, PageDrawing

_SUFFIXES = {ImageFormat.JPEG: "jpg", ImageFormat.PNG: "png"}


@dataclass(frozen=True, slots=True)
class PageImages:
    """Draws documents.

    Attributes:
        documents: The service that draws.
    """

    documents: AsyncDocumentsClient

    @asynccontextmanager
    async def shown(self, instance: Instance, task: DocumentTask) -> AsyncIterator[Instance]:
        """Have the pages of an instance as files, as long as the block lasts.

        Yields:
            The instance with ``pages``.

        Raises:
            DataError: The document cannot be drawn, which is a fault of the data; says why.
            ServiceError: The documents service does not answer.
        """
        document = task.document_of(instance)
        content = await asyncio.to_thread(_read, document)
        drawn = await self.documents.draw_pages(content, task.drawing)
        async with _kept(document, drawn, task.drawing) as paths:
            yield replace(instance, pages=paths)

    @asynccontextmanager
    async def sketched(self, instance: Instance, task: DocumentTask) -> AsyncIterator[Instance]:
        """Have an instance with as many ``pages`` as its document, all of which are the image of the first.

        It takes much less time than ``shown``, and estimates need no more.

        Raises:
            DataError, ServiceError: See ``shown``.
        """
        document = task.document_of(instance)
        content = await asyncio.to_thread(_read, document)
        drawn = await self.documents.draw_pages(content, task.drawing, count=1)
        async with _kept(document, drawn, task.drawing) as (first,):
            yield replace(instance, pages=(first,) * drawn.page_count)


@asynccontextmanager
async def _kept(document: Path, drawn: DrawnPages, drawing: PageDrawing) -> AsyncIterator[tuple[Path, ...]]:
    """Have images as files, as long as the block lasts.

    Raises:
        DataError: There are none.
    """
    if not drawn.pages:
        raise DataError(document, 0, f"its pages cannot be drawn: {drawn.message}")
    with tempfile.TemporaryDirectory(prefix="i2s-pages-") as folder:
        names = [f"page-{number}.{_SUFFIXES[drawing.format]}" for number in range(1, len(drawn.pages) + 1)]
        paths = tuple(Path(folder, name) for name in names)
        await to_thread_until_done(_write, paths, drawn.pages)
        yield paths


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None


def _write(paths: Sequence[Path], contents: Sequence[bytes]) -> None:
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
