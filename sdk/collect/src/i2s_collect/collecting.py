"""The collection of a data set: discover, then visit documents in order until every subset is full."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from i2s_client.documents import AsyncDocumentsClient
from i2s_client.render import AsyncRenderClient
from i2s_collect.candidates import CollectStage, Dropped, Fetched, Piece, Reason, SourceDocument, Window
from i2s_collect.caps import Acceptance, Caps
from i2s_collect.dataset import write_data_set
from i2s_collect.difficulty import Thresholds, as_text, ink_length, thresholds
from i2s_collect.files import ContentFiles
from i2s_collect.filters import Filters
from i2s_collect.harm.judges import JudgeAddress
from i2s_collect.images.duplicates import KnownPieces
from i2s_collect.rendering import Drawn, draw
from i2s_collect.source import DrawnSource, Source
from i2s_collect.state import CollectionState, PieceOutcome, order
from i2s_collect.summary import CollectSummary, Drop
from i2s_collect.web.answer import BodyTooLargeError, NotAtHandError, Web
from i2s_sdk.errors import UsageError
from i2s_sdk.files import write_whole, writing
from i2s_wire.render.rendering import Engine

#: The most pieces that are drawn for each piece of a document that may be accepted.
ATTEMPTS_PER_PIECE = 3

#: The engine of the documents service that draws pages.
PAGE_ENGINE = "pdfium"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Visits documents of a source."""

    #: Source of the documents.
    source: Source
    #: The HTTP client that asks its servers.
    web: Web
    #: Clients by name.
    renderers: Mapping[str, AsyncRenderClient]
    #: Filters.
    judge: Filters
    #: The set of known documents, which makes fingerprints of new ones.
    duplicates: KnownPieces
    #: Keeps structures and images.
    files: ContentFiles
    #: Decides which pieces of a document are tried first.
    seed: int
    #: The most pieces of a document and a subset that are accepted.
    per_document: int
    #: The documents service that draws pages; needed by a ``DrawnSource``.
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
        outcomes: dict[str, list[PieceOutcome]] = {"": [], **{subset: [] for subset in subsets}}
        pieces: defaultdict[str, list[Piece]] = defaultdict(list)
        for piece in cut:
            if isinstance(piece, Dropped):
                if not piece.subset or piece.subset in outcomes:
                    outcomes[piece.subset].append(
                        PieceOutcome(piece.subset, "", CollectStage.CUT, piece.reason, piece.detail)
                    )
            elif piece.subset in outcomes:
                pieces[piece.subset].append(piece)
        for subset in subsets:
            outcomes[subset] += await self._subset(document, fetched, pieces[subset])
        return outcomes

    async def _subset(
        self, document: SourceDocument, fetched: Fetched, pieces: list[Piece]
    ) -> list[PieceOutcome]:
        """Draw and judge pieces in their order until enough of them are accepted."""
        ordered = sorted(pieces, key=lambda piece: order(self.seed, piece_key(document, piece)))
        outcomes: list[PieceOutcome] = []
        accepted = 0
        for number, piece in enumerate(ordered):
            if accepted >= self.per_document or number >= self.per_document * ATTEMPTS_PER_PIECE:
                cut = _cut_outcome(document, fetched, piece)
                outcomes.append(replace(cut, reason=Reason.ENOUGH_OF_DOCUMENT))
                continue
            outcome = await self._piece(document, fetched, piece)
            accepted += outcome.reason is None
            outcomes.append(outcome)
        return outcomes

    async def _piece(self, document: SourceDocument, fetched: Fetched, piece: Piece) -> PieceOutcome:
        drawn = await draw_or_take(self.source, piece, self.renderers, self.documents)
        if isinstance(drawn, Dropped):
            cut = _cut_outcome(document, fetched, piece)
            return replace(cut, stage=CollectStage.RENDER, reason=drawn.reason, detail=drawn.detail)
        return await asyncio.to_thread(self._judged, _cut_outcome(document, fetched, drawn.piece), drawn)

    def _judged(self, cut: PieceOutcome, drawn: Drawn) -> PieceOutcome:
        piece = drawn.piece
        judged = self.judge.judge(piece, drawn.png, drawn.text)
        values = {**judged.values, **({"flags": list(judged.flags)} if judged.flags else {})}
        if judged.dropped:
            dropped = judged.dropped
            return replace(
                cut, stage=CollectStage.JUDGE, reason=dropped.reason, detail=dropped.detail, values=values
            )
        return replace(
            cut,
            stage=CollectStage.JUDGE,
            structure=self.files.keep(piece.structure) if piece.structure else "",
            picture=self.files.keep(drawn.png),
            length=piece.length or ink_length(drawn.png),
            values=values,
            fingerprint=self.duplicates.fingerprint(piece, drawn.png),
            engine=asdict(drawn.engine),
        )


def _cut_outcome(document: SourceDocument, fetched: Fetched, piece: Piece) -> PieceOutcome:
    """Return what is known of a piece that was cut out of a document."""
    return PieceOutcome(
        piece.subset,
        piece_key(document, piece),
        CollectStage.CUT,
        member=piece.member,
        span=piece.span,
        length=piece.length,
        assets=piece.assets,
        notes=piece.notes,
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
        return [piece async for piece in source.cut_drawn(document, content, documents)]
    return await asyncio.to_thread(lambda: list(source.cut(document, content)))


async def draw_or_take(
    source: Source,
    piece: Piece,
    renderers: Mapping[str, AsyncRenderClient],
    documents: AsyncDocumentsClient | None,
) -> Drawn | Dropped:
    """Return a piece with its image: rendered, or the one that it is.

    Raises:
        ServiceError: A service does not answer.
    """
    if not piece.picture:
        return await draw(source, piece, renderers)
    engines = (await documents.describe()).engines if documents else ()
    engine = next((one for one in engines if one.name == PAGE_ENGINE), Engine())
    return Drawn(piece, piece.picture, sha256(piece.picture).hexdigest(), engine, piece.text)


#: The folder of a data set that holds how it was collected.
COLLECTION = "collection"


@dataclass(frozen=True, slots=True)
class CollectOptions:
    """The options of a collection."""

    #: Days of first publication.
    window: Window
    #: How many instances.
    caps: Caps = field(default_factory=Caps)
    #: The most instances of a document and a subset.
    per_document: int = 3
    #: Decides the order of documents and pieces.
    seed: int = 0
    #: Whether only documents are taken whose licence permits to publish copies.
    redistributable: bool = False
    #: Keys of documents, and ids of instances, that must not be used.
    withdrawn: frozenset[str] = frozenset()
    #: Thresholds of the first month, by subset, so that difficulties of months compare; subsets without are
    #: divided by their own lengths.
    thresholds: Mapping[str, Thresholds] = field(default_factory=dict)
    #: Codes of the natural languages of pages that are wanted, see ``languages``; empty for all.
    languages: frozenset[str] = frozenset()
    #: Addresses of judges of texts, beside the built-in one.
    text_judges: tuple[JudgeAddress, ...] = ()
    #: Addresses of judges of images.
    picture_judges: tuple[JudgeAddress, ...] = ()

    def check(self) -> None:
        """Check the window.

        Raises:
            UsageError: It is empty, or is not over yet, so that documents could be missing.
        """
        if self.window.first > self.window.last:
            raise UsageError(f"--from {self.window.first} is after --until {self.window.last}")
        yesterday = datetime.now(UTC).date() - timedelta(days=1)
        if self.window.last > yesterday:
            raise UsageError(
                f"--until {self.window.last} is not over yet: documents of that day may still appear; the "
                f"last day that can be collected is {yesterday}"
            )


@dataclass(frozen=True, slots=True)
class CollectProgress:
    """The progress of a collection."""

    #: Documents so far.
    visited: int
    #: All of the window.
    documents: int
    #: Instances so far, by subset.
    accepted: Mapping[str, int]


@dataclass(slots=True)
class DataSetCollection:
    """A collection under way, in the folder of its data set."""

    #: Folder of the data set.
    folder: Path
    #: Source of documents.
    source: Source
    #: The HTTP client that asks its servers.
    web: Web
    #: Filters.
    judge: Filters
    #: Index of earlier collections; what is accepted here is added.
    duplicates: KnownPieces
    #: What is collected.
    options: CollectOptions
    #: The function that is told of progress after each document.
    notify: Callable[[CollectProgress], None] = lambda progress: None

    def discover(self, state: CollectionState) -> None:
        """Have all documents of the window in the state, and list them in ``documents.jsonl`` in their order.

        Raises:
            NotCachedError: The collection is offline, and not all of them are known.
            SourceStoppedError: The source does not answer.
            RunConflictError: The folder was begun with other options.
        """
        state.keep_facts(self._facts())
        if "collected" not in state.facts():
            today = datetime.now(UTC).date().isoformat()
            state.keep_facts({"collected": today, "collector": f"i2s-sdk {version('i2s-sdk')}"})
        if not state.discovered():
            state.keep_documents(self._found(), self.options.seed)
        with writing(state.folder):
            lines = "".join(document.line() + "\n" for document in state.documents())
            write_whole(state.folder / "documents.jsonl", lines.encode())

    def _facts(self) -> dict[str, str]:
        """Return what must be the same whenever this collection goes on."""
        options = self.options
        return {
            "source": self.source.name,
            "from": options.window.first.isoformat(),
            "until": options.window.last.isoformat(),
            "seed": str(options.seed),
            "per document": str(options.per_document),
            "redistributable": "yes" if options.redistributable else "no",
            "judges": " ".join(
                text_judge.name for text_judge in (*options.text_judges, *options.picture_judges)
            )
            or "none",
            **{f"filter {name}": value for name, value in self.judge.facts.items()},
        }

    def _found(self) -> Iterator[SourceDocument | Dropped]:
        for source_document in self.source.discover(self.options.window, self.web):
            if isinstance(source_document, SourceDocument):
                yield self._admitted(source_document)
            else:
                yield source_document

    def _admitted(self, document: SourceDocument) -> SourceDocument | Dropped:
        if self.options.redistributable and not document.licence.redistributable:
            name = document.licence.name or "none is known"
            return Dropped(Reason.LICENCE, name, document.key)
        if document.key in self.options.withdrawn:
            return Dropped(Reason.WITHDRAWAL_LIST, "", document.key)
        return document

    async def work(
        self,
        state: CollectionState,
        renderers: Mapping[str, AsyncRenderClient],
        documents_service: AsyncDocumentsClient | None = None,
    ) -> CollectSummary:
        """Visit documents until every subset is full, then write the data set.

        Args:
            state: State in which the documents are.
            renderers: Clients by name.
            documents_service: The documents service that draws pages; needed by a source of PDF documents.

        Raises:
            SourceStoppedError: The source does not answer; what was done is stored.
            ServiceError: A renderer does not answer; the same.
        """
        files = ContentFiles(state.folder / "files")
        visitor = Visitor(
            self.source,
            self.web,
            renderers,
            self.judge,
            self.duplicates,
            files,
            self.options.seed,
            self.options.per_document,
            documents_service,
        )
        acceptance = Acceptance(self.options.caps, self.duplicates, self.options.withdrawn)
        summary = CollectSummary(self.source.name, self.options.caps.per_subset)
        drops = [
            Drop(CollectStage.DISCOVER, dropped.reason, dropped.key, detail=dropped.detail)
            for dropped in state.undiscovered()
        ]
        documents = list(state.documents())
        summary.documents = len(documents) + len(drops)
        for document in documents:
            await self._document(document, state, visitor, acceptance, summary, drops)
            self.notify(CollectProgress(summary.visited, len(documents), self._counts(acceptance)))
        drops += [
            Drop(
                CollectStage.SELECT,
                refused.reason,
                refused.document.key,
                refused.outcome.subset,
                refused.outcome.key,
                refused.detail,
            )
            for refused in acceptance.refused
        ]
        summary.count(drops)
        summary.accepted = self._counts(acceptance)
        accepted = {subset: acceptance.accepted[subset] for subset in self.source.subsets}
        lengths = {subset: [one.outcome.length for one in found] for subset, found in accepted.items()}
        divided = {
            subset: known
            for subset, found in lengths.items()
            if (known := self.options.thresholds.get(subset) or thresholds(found))
        }
        difficulties = {
            subset: [divided[subset].of(length) for length in found] for subset, found in lengths.items()
        }
        write_data_set(
            self.folder, self.source.name, self.source.task, accepted, difficulties, files, state.facts()
        )
        with writing(state.folder):
            write_whole(state.folder / "drops.jsonl", "".join(drop.line() + "\n" for drop in drops).encode())
            write_whole(state.folder / "thresholds.json", as_text(divided).encode())
            content = json.dumps(summary.as_json(), indent=2, ensure_ascii=False) + "\n"
            write_whole(state.folder / "summary.json", content.encode())
        return summary

    def _counts(self, acceptance: Acceptance) -> dict[str, int]:
        return {subset: len(acceptance.accepted[subset]) for subset in self.source.subsets}

    async def _document(
        self,
        document: SourceDocument,
        state: CollectionState,
        visitor: Visitor,
        acceptance: Acceptance,
        summary: CollectSummary,
        drops: list[Drop],
    ) -> None:
        """Visit a document for the subsets that still want it, unless that was done, and offer its pieces."""
        # A document that serves one subset says so, and is not fetched for another.
        served = document.detail.get("subset")
        possible = [subset for subset in self.source.subsets if served in (None, subset)]
        wanting = [subset for subset in possible if acceptance.wants(document, subset) is None]
        if not wanting:
            summary.not_needed += 1
            return
        missing = [subset for subset in wanting if state.outcomes(document.key, subset) is None]
        if missing:
            try:
                state.keep_outcomes(document.key, await visitor.visit(document, missing))
            except NotAtHandError:
                summary.not_cached += 1
                return
        summary.visited += 1
        for subset in ("", *wanting):
            outcomes = state.outcomes(document.key, subset) or []
            if subset:
                summary.pieces[subset] += len(outcomes)
            drops += [
                Drop(outcome.stage, outcome.reason, document.key, outcome.subset, outcome.key, outcome.detail)
                for outcome in outcomes
                if outcome.reason is not None
            ]
            acceptance.offer(document, subset, outcomes)
