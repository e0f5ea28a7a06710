"""The interface of every source of documents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Protocol, runtime_checkable

from i2s_client.documents import AsyncDocumentsClient
from i2s_collect.candidates import Dropped, Fetched, Piece, SourceDocument, Window
from i2s_collect.web.answer import Web
from i2s_wire.render.rendering import Rendering


class Source(Protocol):
    """A source of documents for one task.

    Everything but ``discover`` and ``fetch`` is a pure function of its arguments, so that the same answers of
    the network make the same data set. The methods raise what ``web`` raises and nothing else.

    """

    @property
    def name(self) -> str:
        """Name of the source, such as "arxiv"."""
        ...

    @property
    def task(self) -> str:
        """Name of the task whose instances it makes."""
        ...

    @property
    def subsets(self) -> tuple[str, ...]:
        """Subsets of the instances, in the order of tables."""
        ...

    def discover(self, window: Window, web: Web) -> Iterator[SourceDocument | Dropped]:
        """Yield every document that was first published in a window, or why it is left out, in any order."""
        ...

    def fetch(self, document: SourceDocument, web: Web) -> Fetched | Dropped:
        """Return the content of a document.

        Raises:
            NotAtHandError: It is not there now; the document is visited again by the next run.
        """
        ...

    def cut(self, document: SourceDocument, content: bytes) -> Iterator[Piece | Dropped]:
        """Yield the pieces of a document and the refused ones, in the order in which they stand."""
        ...

    def rendering_fault(self, piece: Piece, rendering: Rendering) -> Dropped | None:
        """Return why a rendering is not a reference, or None. The verdict alone need not be looked at."""
        ...


@runtime_checkable
class DrawnSource(Source, Protocol):
    """A source of PDF documents, whose pages are drawn before they are cut.

    Its pieces are images without structures. Nothing is rendered, and ``cut`` is not called.
    """

    def cut_drawn(
        self, document: SourceDocument, content: bytes, documents: AsyncDocumentsClient
    ) -> AsyncIterator[Piece | Dropped]:
        """Yield the pieces of a document and the refused ones, in the order in which they stand.

        Args:
            document: Document of which they are pieces.
            content: The PDF document.
            documents: The documents service, which draws its pages.

        Raises:
            ServiceError: The documents service does not answer.
        """
        ...
