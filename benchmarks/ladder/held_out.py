"""The data set of the held-out documents: their images are what the services of the project render."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from benchmarks.harness.command import MeasurementError
from i2s_sdk.data.format_2 import Line, line, new_folder, put_by_content, write_index
from i2s_sdk.data.hub import packed
from i2s_sdk.instances.instance import Content
from i2s_sdk.instances.site_files import read_site_folder
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import Services, open_services, passing_logs
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import open_task, task_spec
from i2s_sdk.tasks.structure import Structure
from i2s_wire.renderers import RENDER_HTML, RENDER_LATEX, RENDER_LILYPOND

DOCUMENTS = Path(__file__).parent / "documents"
_LICENCE = "CC0-1.0"
#: The task of scores that are not rendered.
OMR = "omr"
_RENDERERS = {"latex": RENDER_LATEX.name, "webpage": RENDER_HTML.name, "music": RENDER_LILYPOND.name}


def data_set(out: Path, settings: Settings) -> Path:
    """Render all documents and return the data set of them.

    Args:
        out: Its folder, which must not exist.
        settings: Name the services, or have them started.

    Raises:
        MeasurementError: A document does not render as it is; names it.
        StackError: A service cannot be started.
        ServiceError: A service does not answer.
    """
    asyncio.run(_made(out, settings))
    return out


async def _made(out: Path, settings: Settings) -> None:
    with passing_logs() as logs, new_folder(out):
        async with open_services(settings, logs, tuple(_RENDERERS.values())) as services:
            write_index(out, [one async for one in _lines(out, services)])


async def _lines(out: Path, services: Services) -> AsyncIterator[Line]:
    scores: dict[str, bytes] = {}
    for task, path in _documents():
        content, truth = _read(path)
        # The same scores in kern have the images that LilyPond draws of them.
        image = scores[path.stem] if task == OMR else await _image(services, task, content, path)
        if task == "music":
            scores[path.stem] = image
        subset = task if task in ("music", OMR) else path.stem.partition("-")[0]
        target = {"structure": put_by_content(out, "structures", truth, task_spec(task).structure_suffix)}
        inputs = {"image": put_by_content(out, "images", image, ".png")}
        yield line(f"aside-{task}-{path.stem}", task, subset, inputs, target, licence=_LICENCE)


def _documents() -> Iterator[tuple[str, Path]]:
    for task in (*_RENDERERS, OMR):
        yield from ((task, path) for path in sorted((DOCUMENTS / task).iterdir()))


def _read(path: Path) -> tuple[Content, bytes]:
    """Return a document, and the file that it is as a ground truth."""
    if path.is_dir():
        site = read_site_folder(path)
        return Content(site=site), packed(site)
    code = path.read_text(encoding="utf-8")
    return Content(structure=code), code.encode()


async def _image(services: Services, task_name: str, content: Content, path: Path) -> bytes:
    """Return the image of a document, as a model that knows it would have it rendered."""
    task = open_task(task_name)
    structure = task.structure_from(task_spec(task_name).answer(content, Question(())))
    rendering = task.rendering
    assert rendering is not None, path
    assert isinstance(structure, Structure), path
    renderer = services.renderers[_RENDERERS[task_name]]
    drawn = await renderer.render(rendering.request(rendering.document(structure)))
    if not drawn.verdict.has_picture:
        raise MeasurementError(f"{path} does not render: {drawn.verdict} {drawn.error}")
    return drawn.pictures[0].png
