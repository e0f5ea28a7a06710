"""The recipes of instances whose files may not be published, and how instances are made again from them."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

from i2s_client.documents import AsyncDocumentsClient
from i2s_client.render import AsyncRenderClient
from i2s_collect.candidates import CollectStage, Dropped, Licence, Piece, Reason, SourceDocument
from i2s_collect.caps import Accepted, instance_id
from i2s_collect.collecting import cut_document, draw_or_take, key_of_piece, piece_key
from i2s_collect.dataset import write_data_set
from i2s_collect.difficulty import DIFFICULTIES
from i2s_collect.files import ContentFiles
from i2s_collect.publishing.publish import PROVENANCE
from i2s_collect.rendering import Drawn
from i2s_collect.source import Source
from i2s_collect.state import PieceOutcome
from i2s_collect.summary import Drop
from i2s_collect.web.answer import BodyTooLargeError, NotAtHandError, Web
from i2s_sdk.errors import DataError
from i2s_sdk.files import write_whole, writing
from i2s_sdk.json_text import read_json

#: The largest file of recipes that is read, in bytes.
MAX_BYTES = 500_000_000

_SHA256 = re.compile(r"[0-9a-f]{64}")
_TEXTS = ("name", "task", "subset", "difficulty", "structure_sha256", "picture_sha256")
_PROVENANCE_TEXTS = ("source", "id", "version", "url", "member", "owner", "date", "collected", "collector")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an instance is made again."""

    #: Document of which it is a piece, at the version that was collected.
    document: SourceDocument
    #: Name of the task.
    task: str
    #: Subset of the instance.
    subset: str
    #: File of the document that the piece was cut from.
    member: str
    #: First byte in ``member``, and the one after the last.
    span: tuple[int, int]
    #: Difficulty of the instance.
    difficulty: str
    #: SHA-256 of the structure, in hexadecimal.
    structure: str
    #: SHA-256 of the image, in hexadecimal.
    picture: str
    #: Provenance as the line of the instance has it.
    provenance: Mapping[str, Any]

    @property
    def source(self) -> str:
        """Name of the source."""
        return str(self.provenance["source"])

    @property
    def place(self) -> str:
        """Where the piece stands in the file, if bytes do not say it."""
        return str(self.provenance.get("place", ""))

    @property
    def key(self) -> str:
        """The key of the piece, as ``piece_key`` returns it."""
        return key_of_piece(self.document, self.subset, self.member, self.span, self.place)

    @property
    def name(self) -> str:
        """Id of the instance."""
        return instance_id(self.document, self.subset, self.key)


def read_recipes(path: Path) -> tuple[Recipe, ...]:
    """Return the recipes of a file, all of one source and task, in their order.

    Raises:
        DataError: The file cannot be read, a line is not a recipe, or one names another source, task or an
            instance that an earlier line names.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(path, 0, f"has more than {MAX_BYTES} bytes")
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None
    recipes: dict[str, Recipe] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            recipe = _recipe(read_json(line))
        except (ValueError, KeyError, TypeError) as error:
            reason = f"has no {error}" if isinstance(error, KeyError) else str(error)
            raise DataError(path, number, f"is no recipe: {reason}"[:300]) from None
        first = next(iter(recipes.values()), recipe)
        if (recipe.source, recipe.task) != (first.source, first.task):
            raise DataError(path, number, "is of another source or task than the first line")
        if recipe.name in recipes:
            raise DataError(path, number, f"{recipe.name!r} stands there twice")
        recipes[recipe.name] = recipe
    if not recipes:
        raise DataError(path, 0, "holds no recipe")
    return tuple(recipes.values())


def _recipe(line: Any) -> Recipe:  # noqa: ANN401 - what JSON holds
    """Return the recipe of a line.

    Raises:
        ValueError: A value is not what it must be.
        KeyError: One is missing.
        TypeError: A value is of another type.
    """
    if not isinstance(line, dict):
        raise ValueError("it is no object")
    _check_texts(line, _TEXTS)
    provenance = line["provenance"]
    if not isinstance(provenance, dict):
        raise ValueError("'provenance' is no object")
    if missing := sorted(PROVENANCE - set(provenance)):
        raise KeyError(f"provenance.{missing[0]}")
    _check_texts(provenance, _PROVENANCE_TEXTS)
    if type(provenance["length"]) is not int:
        raise ValueError("'length' is no number")
    if not all(isinstance(provenance[name], dict) for name in ("engine", "filters", "notes")):
        raise ValueError("'engine', 'filters' or 'notes' is no object")
    for name in ("structure_sha256", "picture_sha256"):
        if not _SHA256.fullmatch(line[name]):
            raise ValueError(f"{name!r} is no SHA-256")
    if line["difficulty"] not in ("", *DIFFICULTIES):
        raise ValueError(f"'difficulty' is none of {', '.join(DIFFICULTIES)}")
    recipe = Recipe(
        document=_document(provenance, line["subset"]),
        task=line["task"],
        subset=line["subset"],
        member=provenance["member"],
        span=_span(provenance["bytes"]),
        difficulty=line["difficulty"],
        structure=line["structure_sha256"],
        picture=line["picture_sha256"],
        provenance=provenance,
    )
    if line["name"] != recipe.name:
        raise ValueError("'name' is not that of an instance of this origin")
    return recipe


def _document(provenance: Mapping[str, Any], subset: str) -> SourceDocument:
    licence, attribution = provenance["licence"], provenance["attribution"]
    if not isinstance(licence, dict) or not isinstance(attribution, dict):
        raise ValueError("'licence' or 'attribution' is no object")
    _check_texts(licence, ("name", "url"))
    _check_texts(attribution, ("title", "url"))
    return SourceDocument(
        key=provenance["id"],
        day=date.fromisoformat(provenance["date"]),
        owner=provenance["owner"],
        licence=Licence(licence["name"], licence["url"], licence["redistributable"] is True),
        title=attribution["title"],
        authors=_texts(attribution["authors"], "authors"),
        url=attribution["url"],
        detail={"subset": subset},
        version=provenance["version"],
    )


def _check_texts(value: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in names:
        if not isinstance(value[name], str):
            raise ValueError(f"{name!r} is no text")


def _texts(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"{name!r} is no list of texts")
    return tuple(value)


def _span(value: object) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2 or not all(type(one) is int for one in value):
        raise ValueError("'bytes' is no pair of numbers")
    return value[0], value[1]


@dataclass(slots=True)
class Remade:
    """The results of recipes."""

    #: Recipes by subset.
    wanted: Counter[str] = field(default_factory=Counter)
    #: Instances by subset.
    made: Counter[str] = field(default_factory=Counter)
    #: Instances that could not be made, with reasons.
    drops: list[Drop] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """Whether every recipe became an instance."""
        return not self.drops

    def as_json(self) -> dict[str, Any]:
        """Return the counts as a document."""
        reasons = Counter((drop.stage.value, drop.subset, drop.reason.value) for drop in self.drops)
        return {
            "full": self.full,
            "wanted": dict(sorted(self.wanted.items())),
            "accepted": {subset: self.made[subset] for subset in sorted(self.wanted)},
            "dropped": [
                {"stage": stage, "subset": subset, "reason": reason, "count": count}
                for (stage, subset, reason), count in sorted(reasons.items())
            ],
        }


@dataclass(frozen=True, slots=True)
class Remaker:
    """Makes instances again."""

    #: Source of the documents.
    source: Source
    #: The HTTP client that asks its servers.
    web: Web
    #: Clients by name.
    renderers: Mapping[str, AsyncRenderClient]
    #: Keeps structures and images.
    files: ContentFiles
    #: The documents service that draws pages; needed by a source of PDF documents.
    documents: AsyncDocumentsClient | None = None

    async def remake(
        self,
        recipes: Sequence[Recipe],
        folder: Path,
        facts: Mapping[str, str],
        notify: Callable[[int], None] = lambda done: None,
    ) -> Remade:
        """Make the instances of recipes and write them as a data set, in the order of the recipes.

        Args:
            recipes: Recipes of the source.
            folder: Folder of the data set.
            facts: "collected" and "collector" of recipes that say neither.
            notify: The function that is called with the number of recipes that are done.

        Raises:
            SourceStoppedError: The source does not answer; what was fetched is stored.
            ServiceError: A renderer does not answer.
            WriteError: A file cannot be written.
            DataError: A stored file is damaged.
        """
        remade = Remade(Counter(recipe.subset for recipe in recipes))
        outcomes: dict[str, PieceOutcome] = {}
        ordered = sorted(recipes, key=lambda one: (one.document.key, one.document.version))
        done = 0
        for _, group in groupby(ordered, key=lambda one: (one.document.key, one.document.version)):
            same = list(group)
            for recipe, outcome in await self._document(same):
                if isinstance(outcome, Drop):
                    remade.drops.append(outcome)
                else:
                    outcomes[recipe.name] = outcome
            done += len(same)
            notify(done)
        accepted: dict[str, list[Accepted]] = {}
        difficulties: dict[str, list[str]] = {}
        for recipe in recipes:
            if recipe.name in outcomes:
                accepted.setdefault(recipe.subset, []).append(
                    Accepted(recipe.document, outcomes[recipe.name])
                )
                difficulties.setdefault(recipe.subset, []).append(recipe.difficulty)
                remade.made[recipe.subset] += 1
        write_data_set(folder, self.source.name, self.source.task, accepted, difficulties, self.files, facts)
        return remade

    async def _document(self, recipes: Sequence[Recipe]) -> list[tuple[Recipe, PieceOutcome | Drop]]:
        """Make the instances of one document."""
        document = recipes[0].document
        try:
            fetched = await asyncio.to_thread(self.source.fetch, document, self.web)
        except BodyTooLargeError as error:
            fetched = Dropped(Reason.TOO_LARGE, error.message)
        except NotAtHandError as error:
            fetched = Dropped(Reason.NOT_CACHED, error.message)
        if isinstance(fetched, Dropped):
            return [
                (recipe, _drop(recipe, CollectStage.FETCH, fetched.reason, fetched.detail))
                for recipe in recipes
            ]
        # A site is of the subset that its document names, so a document is cut for each of its subsets.
        documents = {recipe.subset: recipe.document for recipe in recipes}
        pieces: dict[str, Piece] = {}
        for source_document in documents.values():
            pieces |= await self._cut(source_document, fetched.content)
        return [
            (recipe, await self._piece(recipe, pieces.get(recipe.key), fetched.url)) for recipe in recipes
        ]

    async def _cut(self, document: SourceDocument, content: bytes) -> dict[str, Piece]:
        pieces = await cut_document(self.source, document, content, self.documents)
        return {piece_key(document, piece): piece for piece in pieces if isinstance(piece, Piece)}

    async def _piece(self, recipe: Recipe, piece: Piece | None, url: str) -> PieceOutcome | Drop:
        if piece is None:
            return _drop(recipe, CollectStage.CUT, Reason.CHANGED, "the document has no such piece")
        drawn = await draw_or_take(self.source, piece, self.renderers, self.documents)
        if isinstance(drawn, Dropped):
            return _drop(recipe, CollectStage.RENDER, drawn.reason, drawn.detail)
        return await asyncio.to_thread(self._compared, recipe, drawn, url)

    def _compared(self, recipe: Recipe, drawn: Drawn, url: str) -> PieceOutcome | Drop:
        structure, image = self.files.keep(drawn.piece.structure), self.files.keep(drawn.png)
        engine = drawn.engine
        if structure != recipe.structure:
            return _drop(recipe, CollectStage.CUT, Reason.CHANGED, "the structure is another")
        if image != recipe.picture:
            before, here = recipe.provenance["engine"], f"{engine.name} {engine.version} {engine.digest}"
            detail = f"drawn by {json.dumps(before, sort_keys=True)[:150]}, here by {here[:100]}"
            return _drop(recipe, CollectStage.RENDER, Reason.OTHER_PICTURE, detail)
        return PieceOutcome(
            recipe.subset,
            recipe.key,
            CollectStage.JUDGE,
            member=recipe.member,
            span=recipe.span,
            structure=structure if drawn.piece.structure else "",
            picture=image,
            length=recipe.provenance["length"],
            assets=drawn.piece.assets,
            notes=drawn.piece.notes,
            values=recipe.provenance["filters"],
            engine=asdict(engine),
            version=recipe.provenance["version"],
            url=url,
            place=recipe.place,
        )


def _drop(recipe: Recipe, stage: CollectStage, reason: Reason, detail: str) -> Drop:
    return Drop(stage, reason, recipe.document.key, recipe.subset, recipe.key, detail[:300])


def write_reports(folder: Path, remade: Remade) -> None:
    """Write drops.jsonl and summary.json.

    Args:
        folder: Folder of the state of the collection.
        remade: What came of the recipes.

    Raises:
        WriteError: They cannot be written.
    """
    with writing(folder):
        lines = "".join(drop.line() + "\n" for drop in remade.drops)
        write_whole(folder / "drops.jsonl", lines.encode())
        content = json.dumps(remade.as_json(), indent=2, ensure_ascii=False) + "\n"
        write_whole(folder / "summary.json", content.encode())
