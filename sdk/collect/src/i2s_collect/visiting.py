"""Visits a document: fetches it, cuts it, draws its pieces and judges each, without a look at others.

What becomes of a document depends on nothing but its content, the options and the engines. It is stored once
and never done again.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256

from i2s_client.documents import AsyncDocumentsClient
from i2s_client.render import AsyncRenderClient
from i2s_collect.candidates import CollectStage, Dropped, Fetched, Piece, Reason, SourceDocument
from i2s_collect.difficulty import ink_length
from i2s_collect.files import ContentFiles
from i2s_collect.judging import Duplicates, PieceJudge
from i2s_collect.rendering import Drawn, draw
from i2s_collect.source import DrawnSource, Source
from i2s_collect.state import PieceOutcome, order
from i2s_collect.web.answer import Web
from i2s_collect.web.errors import BodyTooLargeError
from i2s_wire.render.rendering import Engine

#: The most pieces that are drawn for each piece of a document that may be accepted.
ATTEMPTS_PER_PIECE = 3

#: The engine of the documents service that draws pages.
PAGE_ENGINE = "pdfium"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Visits documents of a source.

    Attributes:
        source: Source of the documents.
        web: The HTTP client that asks its servers.
        renderers: Clients by name.
        judge: Filters.
        duplicates: The set of known documents, which makes fingerprints of new ones.
        files: Keeps structures and pictures.
        seed: Decides which pieces of a document are tried first.
        per_document: The most pieces of a document and a subset that are accepted.
        documents: The documents service that draws pages; needed by a ``DrawnSource``.
    """

    source: Source
    web: Web
    renderers: Mapping[str, AsyncRenderClient]
    judge: PieceJudge
    duplicates: Duplicates
    files: ContentFiles
    seed: int
    per_document: int
    documents: AsyncDocumentsClient | None = None

    async def visit(
        self, document: SourceDocument, subsets: Collection[str]
    ) -> dict[str, list[PieceOutcome]]:
        """Return what became of the pieces of a document, by subset; "" is the document itself.

        Raises:
            NotAtHandError: The document is not there now.
            SourceStoppedError: The source does not answer.
            ServiceError: A renderer does not answer.
            WriteError: A file cannot be written.
        """
        try:
            fetched = await asyncio.to_thread(self.source.fetch, document, self.web)
        except BodyTooLargeError as error:
            fetched = Dropped(Reason.TOO_LARGE, error.message)
        if isinstance(fetched, Dropped):
            dropped = PieceOutcome("", "", CollectStage.FETCH, fetched.reason, fetched.detail)
            return {"": [dropped], **{subset: [] for subset in subsets}}
        cut = await cut_document(self.source, document, fetched.content, self.documents)
        found: dict[str, list[PieceOutcome]] = {"": [], **{subset: [] for subset in subsets}}
        pieces: defaultdict[str, list[Piece]] = defaultdict(list)
        for one in cut:
            if isinstance(one, Dropped):
                if not one.subset or one.subset in found:
                    found[one.subset].append(
                        PieceOutcome(one.subset, "", CollectStage.CUT, one.reason, one.detail)
                    )
            elif one.subset in found:
                pieces[one.subset].append(one)
        for subset in subsets:
            found[subset] += await self._subset(document, fetched, pieces[subset])
        return found

    async def _subset(
        self, document: SourceDocument, fetched: Fetched, pieces: list[Piece]
    ) -> list[PieceOutcome]:
        """Draw and judge pieces in their order until enough of them are accepted."""
        ordered = sorted(pieces, key=lambda piece: order(self.seed, piece_key(document, piece)))
        outcomes: list[PieceOutcome] = []
        accepted = 0
        for number, piece in enumerate(ordered):
            if accepted >= self.per_document or number >= self.per_document * ATTEMPTS_PER_PIECE:
                outcomes.append(
                    self._outcome(document, fetched, piece, CollectStage.CUT, Reason.ENOUGH_OF_DOCUMENT)
                )
                continue
            outcome = await self._piece(document, fetched, piece)
            accepted += outcome.reason is None
            outcomes.append(outcome)
        return outcomes

    async def _piece(self, document: SourceDocument, fetched: Fetched, piece: Piece) -> PieceOutcome:
        drawn = await draw_or_take(self.source, piece, self.renderers, self.documents)
        if isinstance(drawn, Dropped):
            return self._outcome(document, fetched, piece, CollectStage.RENDER, drawn.reason, drawn.detail)
        return await asyncio.to_thread(self._judged, document, fetched, drawn)

    def _judged(self, document: SourceDocument, fetched: Fetched, drawn: Drawn) -> PieceOutcome:
        piece = drawn.piece
        judged = self.judge.judge(piece, drawn.png, drawn.text)
        values = {**judged.values, **({"flags": list(judged.flags)} if judged.flags else {})}
        if judged.dropped:
            why = judged.dropped
            return self._outcome(
                document, fetched, piece, CollectStage.JUDGE, why.reason, why.detail, values=values
            )
        engine = drawn.engine
        return self._outcome(
            document,
            fetched,
            piece,
            CollectStage.JUDGE,
            None,
            structure=self.files.keep(piece.structure) if piece.structure else "",
            picture=self.files.keep(drawn.png),
            values=values,
            fingerprint=self.duplicates.fingerprint(piece, drawn.png),
            engine={"name": engine.name, "version": engine.version, "digest": engine.digest},
            length=0 if piece.length else ink_length(drawn.png),
        )

    def _outcome(
        self,
        document: SourceDocument,
        fetched: Fetched,
        piece: Piece,
        stage: CollectStage,
        reason: Reason | None,
        detail: str = "",
        *,
        structure: str = "",
        picture: str = "",
        values: Mapping[str, object] | None = None,
        fingerprint: str = "",
        engine: Mapping[str, str] | None = None,
        length: int = 0,
    ) -> PieceOutcome:
        return PieceOutcome(
            piece.subset,
            piece_key(document, piece),
            stage,
            reason,
            detail,
            member=piece.member,
            span=piece.span,
            structure=structure,
            picture=picture,
            length=length or piece.length,
            assets=piece.assets,
            notes=piece.notes,
            values=values or {},
            fingerprint=fingerprint,
            engine=engine or {},
            version=fetched.version,
            url=fetched.url,
            place=piece.place,
        )


def piece_key(document: SourceDocument, piece: Piece) -> str:
    """Return what identifies a piece for good: its document, and where it stood there."""
    return key_of_piece(document, piece.subset, piece.member, piece.span, piece.place)


def key_of_piece(
    document: SourceDocument, subset: str, member: str, span: tuple[int, int], place: str = ""
) -> str:
    """Return what identifies a piece for good; see ``piece_key``."""
    first, last = span
    return f"{document.key} {subset} {member} {first}-{last}" + (f" {place}" if place else "")


async def cut_document(
    source: Source, document: SourceDocument, content: bytes, documents: AsyncDocumentsClient | None
) -> list[Piece | Dropped]:
    """Return the pieces of a document and the refused ones, in the order in which they stand.

    Args:
        source: Source of the document.
        document: The document.
        content: Its content, as it was fetched.
        documents: The documents service that draws pages; needed by a ``DrawnSource``.

    Raises:
        ServiceError: The documents service does not answer.
    """
    if isinstance(source, DrawnSource):
        assert documents is not None, source.name
        return [one async for one in source.cut_drawn(document, content, documents)]
    return await asyncio.to_thread(lambda: list(source.cut(document, content)))


async def draw_or_take(
    source: Source,
    piece: Piece,
    renderers: Mapping[str, AsyncRenderClient],
    documents: AsyncDocumentsClient | None,
) -> Drawn | Dropped:
    """Return a piece with its picture: rendered, or the one that it is.

    Raises:
        ServiceError: A service does not answer.
    """
    if not piece.picture:
        return await draw(source, piece, renderers)
    engines = (await documents.describe()).engines if documents else ()
    engine = next((one for one in engines if one.name == PAGE_ENGINE), Engine())
    return Drawn(piece, piece.picture, sha256(piece.picture).hexdigest(), engine, piece.text)
