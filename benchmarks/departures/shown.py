"""What the renderers make of documents, with or without repairs, and how it scores against a reference."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Generic, TypeVar

import numpy as np
from PIL import Image

from benchmarks.departures.sets import picture
from i2s_client import AsyncRenderClient
from i2s_metrics.functional.arrays import RgbArray
from i2s_metrics.functional.ems import PAPER, earth_mover_similarity
from i2s_metrics.images import equalise
from i2s_sdk.tasks import Repair, render_with_repairs_async
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.options import RenderOptions
from i2s_wire.render.rendering import Rendering

#: Maximum number of pixels of the common size of two images, as in the metric service.
MOST_PIXELS = 25_000_000

#: Documents that are rendered at the same time.
_AT_ONCE = 4

A = TypeVar("A")
D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Shown(Generic[D]):
    """What became of a document."""

    document: D  #: The document that was rendered last.
    rendering: Rendering  #: Its rendering.
    first: bool  #: Whether there was an image before any repair.
    repairs: tuple[Repair, ...]  #: Repairs that were made.
    picture: RgbArray | None = field(repr=False)  #: Shape (height, width, 3); None if there is none.

    @property
    def rendered(self) -> bool:
        """Whether there is an image."""
        return self.picture is not None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height; 0 and 0 if there is no image."""
        return (0, 0) if self.picture is None else (self.picture.shape[1], self.picture.shape[0])


async def show(
    renderer: AsyncRenderClient,
    task: RenderedTask[Any],
    document: D,
    *,
    repair: bool = True,
    options: Callable[[RenderOptions], RenderOptions] | None = None,
) -> Shown[D]:
    """Render a document as a task does.

    Args:
        renderer: The renderer of the task.
        task: The task.
        document: Its document.
        repair: Whether refused documents are repaired.
        options: Changes the options of the task.
    """

    async def once(one: D) -> Rendering:
        request = task.request(one)
        if options is not None:
            request = replace(request, options=options(request.options))
        return await renderer.render(request)

    render: Callable[[D], Awaitable[Rendering]] = once
    if not repair:
        rendering = await once(document)
        return Shown(document, rendering, rendering.verdict.has_picture, (), _picture(rendering))
    attempts = await render_with_repairs_async(task, document, render)
    first = attempts.first.verdict.has_picture
    return Shown(attempts.document, attempts.last, first, attempts.repairs, _picture(attempts.last))


async def together(works: Sequence[Awaitable[A]]) -> list[A]:
    """Return what several pieces of work return, in order; a few are under way at a time."""
    free = asyncio.Semaphore(_AT_ONCE)

    async def one(work: Awaitable[A]) -> A:
        async with free:
            return await work

    return list(await asyncio.gather(*map(one, works)))


def _picture(rendering: Rendering) -> RgbArray | None:
    if not rendering.verdict.has_picture:
        return None
    with Image.open(io.BytesIO(rendering.pictures[0].png)) as image:
        return np.asarray(image.convert("RGB"))


def ems(shown: RgbArray | None, reference: Path | RgbArray, policy: SizePolicy = SizePolicy.PAD) -> float:
    """Return Earth Mover Similarity in profile ``paper``; 0 if there is no image."""
    if shown is None:
        return 0.0
    expected = picture(reference) if isinstance(reference, Path) else reference
    return earth_mover_similarity(*equalise(shown, expected, policy, MOST_PIXELS), PAPER).value


def same(first: RgbArray | None, second: RgbArray | None) -> bool:
    """Return whether two renderings have the same image, or both have none."""
    if first is None or second is None:
        return first is second
    return first.shape == second.shape and bool((first == second).all())


def images(shown: Iterable[Shown[Any] | None]) -> list[RgbArray | None]:
    """Return the images of renderings, in order."""
    return [one.picture if one else None for one in shown]


def differing(first: Iterable[Shown[Any] | None], second: Iterable[Shown[Any] | None]) -> int:
    """Return how many renderings have another image than those at the same place."""
    return sum(not same(*pair) for pair in zip(images(first), images(second), strict=True))


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 over nothing."""
    return fmean(values) if values else 0.0
