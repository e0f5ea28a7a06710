"""Makes instances again from recipes: fetch, cut and draw as when they were collected, and compare.

An instance counts only if its structure and its picture have the SHA-256 of the recipe.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from i2s_client.documents import AsyncDocumentsClient
from i2s_client.render import AsyncRenderClient
from i2s_collect.candidates import CollectStage, Dropped, Piece, Reason, SourceDocument
from i2s_collect.caps import Accepted
from i2s_collect.dataset import write_data_set
from i2s_collect.files import ContentFiles
from i2s_collect.recipes import Recipe
from i2s_collect.rendering import Drawn
from i2s_collect.source import Source
from i2s_collect.state import PieceOutcome
from i2s_collect.summary import Drop
from i2s_collect.visiting import cut_document, draw_or_take, piece_key
from i2s_collect.web.answer import Web
from i2s_collect.web.errors import BodyTooLargeError, NotAtHandError
from i2s_sdk.writing import write_whole, writing


@dataclass(slots=True)
class Remade:
    """What came of recipes.

    Attributes:
        wanted: Recipes by subset.
        made: Instances by subset.
        drops: Instances that could not be made, with reasons.
    """

    wanted: Counter[str] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)
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
    """Makes instances again.

    Attributes:
        source: Source of the documents.
        web: The HTTP client that asks its servers.
        renderers: Clients by name.
        files: Keeps structures and pictures.
        documents: The documents service that draws pages; needed by a source of PDF documents.
    """

    source: Source
    web: Web
    renderers: Mapping[str, AsyncRenderClient]
    files: ContentFiles
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
            return [(one, _drop(one, CollectStage.FETCH, fetched.reason, fetched.detail)) for one in recipes]
        # A site is of the subset that its document names, so a document is cut for each of its subsets.
        documents = {recipe.subset: recipe.document for recipe in recipes}
        pieces: dict[str, Piece] = {}
        for one in documents.values():
            pieces |= await self._cut(one, fetched.content)
        return [
            (recipe, await self._piece(recipe, pieces.get(recipe.key), fetched.url)) for recipe in recipes
        ]

    async def _cut(self, document: SourceDocument, content: bytes) -> dict[str, Piece]:
        found = await cut_document(self.source, document, content, self.documents)
        return {piece_key(document, one): one for one in found if isinstance(one, Piece)}

    async def _piece(self, recipe: Recipe, piece: Piece | None, url: str) -> PieceOutcome | Drop:
        if piece is None:
            return _drop(recipe, CollectStage.CUT, Reason.CHANGED, "the document has no such piece")
        drawn = await draw_or_take(self.source, piece, self.renderers, self.documents)
        if isinstance(drawn, Dropped):
            return _drop(recipe, CollectStage.RENDER, drawn.reason, drawn.detail)
        return await asyncio.to_thread(self._compared, recipe, drawn, url)

    def _compared(self, recipe: Recipe, drawn: Drawn, url: str) -> PieceOutcome | Drop:
        structure, picture = self.files.keep(drawn.piece.structure), self.files.keep(drawn.png)
        engine = drawn.engine
        if structure != recipe.structure:
            return _drop(recipe, CollectStage.CUT, Reason.CHANGED, "the structure is another")
        if picture != recipe.picture:
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
            picture=picture,
            length=recipe.provenance["length"],
            assets=drawn.piece.assets,
            notes=drawn.piece.notes,
            values=recipe.provenance["filters"],
            engine={"name": engine.name, "version": engine.version, "digest": engine.digest},
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
