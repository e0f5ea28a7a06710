"""Draws the references: each piece is rendered as the oracle's answer to it would be, and never repaired."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from i2s_sdk.clients.render import AsyncRenderClient
from i2s_sdk.collect.candidates import Dropped, Piece, Reason
from i2s_sdk.collect.source import Source
from i2s_sdk.instances.content import Content
from i2s_sdk.instances.site_files import read_tar
from i2s_sdk.service_table import renderer_of
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import task_spec
from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Engine, Verdict


@dataclass(frozen=True, slots=True)
class Drawn:
    """A piece with its picture.

    Attributes:
        png: The picture.
        sha256: Of the picture.
        engine: That drew it: name, version and digest.
        text: What readers see: the text of a page; of other tasks that of the piece.
    """

    png: bytes
    sha256: str
    engine: Engine
    text: str


async def draw(source: Source, piece: Piece, renderers: Mapping[str, AsyncRenderClient]) -> Drawn | Dropped:
    """Draw a piece by the rules of its task in profile ``paper``, as the answer of the oracle is drawn.

    Args:
        source: Says which renderings are references.
        piece: The piece.
        renderers: Clients by name.

    Raises:
        ServiceError: The renderer does not answer.
    """
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
    request = task.request(task.document(structure, content.assets))
    rendering = await renderers[renderer_of(request.source)].render(request)
    if rendering.verdict is not Verdict.RENDERED:
        said = rendering.error.message if rendering.error else rendering.message
        known = source.rendering_fault(piece, rendering)
        reason = known.reason if known else Reason.NOT_RENDERED
        found = f" ({known.detail})" if known and known.detail else ""
        return Dropped(reason, f"{rendering.verdict.name}: {said}{found}"[:300], subset=piece.subset)
    if refused := source.rendering_fault(piece, rendering):
        return refused
    picture = rendering.pictures[0]
    digest = picture.sha256 or hashlib.sha256(picture.png).hexdigest()
    text = rendering.site.text if rendering.site else piece.text
    return Drawn(picture.png, digest, rendering.engine, text)


def _content(piece: Piece, is_site: bool) -> Content:
    if not is_site:
        return Content(structure=piece.structure.decode("utf-8"))
    site = read_tar(piece.structure)
    return Content(site=site, assets={name: site[name] for name in piece.assets})
