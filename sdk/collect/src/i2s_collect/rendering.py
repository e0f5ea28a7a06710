"""Draws the references: each piece is rendered as the oracle's answer to it would be, and never repaired."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from i2s_client.render import AsyncRenderClient
from i2s_client.service_table import renderer_of
from i2s_collect.candidates import Dropped, Piece, Reason
from i2s_collect.source import Source
from i2s_sdk.instances.instance import Content
from i2s_sdk.instances.site_files import read_tar
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import task_spec
from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Engine, Rendering, Verdict
from i2s_wire.render.request import RenderRequest


@dataclass(frozen=True, slots=True)
class Drawn:
    """A piece with its image."""

    #: The piece, with the packages of its document that it needs.
    piece: Piece
    #: The image.
    png: bytes
    #: SHA-256 of the image.
    sha256: str
    #: Engine that drew it: name, version and digest.
    engine: Engine
    #: What readers see: the text of a page; of other tasks that of the piece.
    text: str


#: The most packages and libraries of its document that a piece gets.
MAX_LOADS = 5
#: Their lines in the notes of a piece.
PACKAGES = "packages"


async def draw(source: Source, piece: Piece, renderers: Mapping[str, AsyncRenderClient]) -> Drawn | Dropped:
    """Draw a piece by the rules of its task in profile ``paper``, as the answer of the oracle is drawn.

    If the engine lacks a package that the document of the piece loads, the piece gets it and is drawn again.

    Args:
        source: The source, which says which renderings are references.
        piece: The piece.
        renderers: Clients by name.

    Raises:
        ServiceError: The renderer does not answer.
    """
    while True:
        request = _request(source, piece)
        if isinstance(request, Dropped):
            return request
        rendering = await renderers[renderer_of(request.source)].render(request)
        more = with_load(piece, rendering)
        if more is None:
            break
        piece = more
    if rendering.verdict is not Verdict.RENDERED:
        said = rendering.error.message if rendering.error else rendering.message
        known = source.rendering_fault(piece, rendering)
        reason = known.reason if known else Reason.NOT_RENDERED
        hint = f" ({known.detail})" if known and known.detail else ""
        return Dropped(reason, f"{rendering.verdict.name}: {said}{hint}"[:300], subset=piece.subset)
    if refused := source.rendering_fault(piece, rendering):
        return refused
    image = rendering.pictures[0]
    digest = image.sha256 or hashlib.sha256(image.png).hexdigest()
    text = rendering.site.text if rendering.site else piece.text
    return Drawn(piece, image.png, digest, rendering.engine, text)


def with_load(piece: Piece, rendering: Rendering) -> Piece | None:
    """Return a piece with one more package or library of its document, or None.

    It is the best of those that define what the engine lacked and that the document loads. Nothing is taken
    that the document does not load.

    Args:
        piece: The piece as it was drawn.
        rendering: What came of it.
    """
    undefined = rendering.error.undefined if rendering.error else None
    taken = list(piece.notes.get(PACKAGES, ()))
    for provider in undefined.providers if undefined and len(taken) < MAX_LOADS else ():
        line = piece.loads.get(provider)
        if line is not None and line not in taken:
            taken.append(line)
            structure = f"{line}\n".encode() + piece.structure
            return replace(piece, structure=structure, notes={**piece.notes, PACKAGES: taken})
    return None


def _request(source: Source, piece: Piece) -> RenderRequest | Dropped:
    """Return what a renderer is asked for a piece, or why its structure cannot be an answer."""
    spec = task_spec(source.task)
    task: RenderedTask[Any] | None = spec.open(Profile.PAPER).rendering
    assert task is not None, source.task
    content = _content(piece, spec.structure_is_site)
    if fault := spec.structure_fault(content):
        return Dropped(Reason.NOT_RENDERED, fault, subset=piece.subset)
    structure = task.structure_from(spec.answer(content, Question(())), tuple(content.assets))
    if isinstance(structure, NoStructure):
        return Dropped(Reason.NOT_RENDERED, structure.reason, subset=piece.subset)
    if structure.repairs:
        return Dropped(Reason.NOT_RENDERED, "its answer would be repaired", subset=piece.subset)
    return task.request(task.document(structure, content.assets))


def _content(piece: Piece, is_site: bool) -> Content:
    if not is_site:
        return Content(structure=piece.structure.decode("utf-8"))
    site = read_tar(piece.structure)
    return Content(site=site, assets={name: site[name] for name in piece.assets})
