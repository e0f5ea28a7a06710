"""Images of the pages of documents, which exist while a model is asked about them."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_sdk.clients.documents import AsyncDocumentsClient
from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.task import DocumentTask

_SUFFIXES = {"JPEG": "jpg", "PNG": "png"}


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
        if not drawn.pages:
            raise DataError(document, 0, f"its pages cannot be drawn: {drawn.message}")
        with tempfile.TemporaryDirectory(prefix="i2s-pages-") as folder:
            suffix = _SUFFIXES[task.drawing.format.name]
            paths = [Path(folder, f"page-{number}.{suffix}") for number, _ in enumerate(drawn.pages, start=1)]
            await asyncio.to_thread(_write, paths, drawn.pages)
            yield replace(instance, pages=tuple(paths))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None


def _write(paths: list[Path], contents: tuple[bytes, ...]) -> None:
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
