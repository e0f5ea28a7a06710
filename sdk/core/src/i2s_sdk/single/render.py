"""One source to one image. Languages whose sources are read and repaired before are in ``languages``."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from i2s_client.render import AsyncRenderClient
from i2s_client.service_table import languages
from i2s_sdk.errors import UnknownNameError, UsageError
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import open_services, passing_logs
from i2s_sdk.tasks import NoStructure, RenderedTask, Repair, Structure, Task, render_with_repairs_async
from i2s_sdk.tasks.answer_reading import line_of_answer, read_answer
from i2s_sdk.tasks.task import D
from i2s_sdk.waiting import logged_wait
from i2s_wire.render.options import Crop, PageOptions, RenderOptions, WindowOptions
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import GenericSource, RenderRequest

A = TypeVar("A")
M = TypeVar("M", bound=enum.Enum)


@dataclass(frozen=True, slots=True)
class RenderedSource:
    """The rendering of a source, with the repairs before it."""

    #: Rendering after the last repair.
    rendering: Rendering
    #: Repairs that were made before it.
    repairs: tuple[Repair, ...]
    #: Document that was rendered last; of a site, its files with their digests.
    document: str
    #: Line of the source that was given at which its first error is; 0 if it is not known.
    error_line: int = 0

    @property
    def png(self) -> bytes | None:
        """The image, if there is one."""
        return self.rendering.pictures[0].png if self.rendering.verdict.has_picture else None


def render(
    language: str,
    source: str | bytes,
    *,
    files: Mapping[str, bytes] | None = None,
    page: PageOptions | None = None,
    window: WindowOptions | None = None,
    settings: Settings | None = None,
) -> RenderedSource:
    """Render a source in any language in the jail of its renderer, as it is: nothing is read or repaired.

    >>> render("dot", "digraph { a -> b }").png  # doctest: +SKIP

    Args:
        language: Language, such as "latex", or one of a renderer of another package. A language that no
            package here describes is asked for at the addresses of ``other_renderers``.
        source: The file that is rendered.
        files: The files beside it, by relative path.
        page: For renderers that make pages: which, and how; None takes their defaults.
        window: For renderers that show a window; None takes their defaults.
        settings: None reads environment and configuration file.

    Raises:
        UnknownNameError: Nothing renders this language.
        UsageError: There are files, and sources in this language have none.
        StackError: The renderer cannot be started.
        ServiceError: It does not answer, or does not take these options.
    """
    settings = settings or Settings.load()
    spec = languages().get(language)
    text = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    entry = f"source.{language}"
    try:
        content = (
            spec.source_of(text, files)
            if spec
            else GenericSource(language, entry, {**(files or {}), entry: text})
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    options = RenderOptions(page=page or PageOptions(), window=window or WindowOptions())
    request = RenderRequest(content, options)

    async def work(renderer: AsyncRenderClient) -> RenderedSource:
        return RenderedSource(await renderer.render(request), (), text.decode("utf-8", "replace"))

    return with_renderer(spec.name, work, settings) if spec else _with_language(language, work, settings)


def _with_language(language: str, work: Callable[[AsyncRenderClient], Awaitable[A]], settings: Settings) -> A:
    """Return what comes of work with the renderer that says, at its address, that it renders a language.

    Raises:
        UnknownNameError: None of them does, and all answered.
        ServiceError: One did not answer, and none of the others does.
    """
    known = languages()
    described = {spec.name for spec in known.values()}
    names = [name for name in settings.other_addresses if name not in described]

    async def all_of_it() -> A:
        spoken = set(known)
        with passing_logs() as logs:
            async with open_services(settings, logs, names, names) as services:
                for renderer in services.renderers.values():
                    ours = (await renderer.describe()).languages
                    if language in ours:
                        with logged_wait(f"the renderer of {language} is rendering"):
                            return await work(renderer)
                    spoken.update(ours)
        for error in services.missing.values():
            raise error
        raise UnknownNameError("language", language, spoken)

    return run_blocking(all_of_it())


def page_options(page: PageOptions, dpi: float | None, number: int, whole_page: bool) -> PageOptions:
    """Return the page of a task with what was asked for instead."""
    page = replace(page, first_page=number)
    if dpi is not None:
        page = replace(page, dpi=dpi)
    return replace(page, crop=Crop.NONE, cut_bottom=0.0) if whole_page else page


def with_renderer(service: str, work: Callable[[AsyncRenderClient], Awaitable[A]], settings: Settings) -> A:
    """Return what comes of work with a renderer, which is started if it does not run."""

    async def all_of_it() -> A:
        with passing_logs() as logs:
            async with open_services(settings, logs, (service,)) as services:
                with logged_wait(f"{service} is rendering"):
                    return await work(services.renderers[service])

    return run_blocking(all_of_it())


def structure_in(task: Task, source: str) -> Structure:
    """Return the structure in the answer of a model.

    Raises:
        UsageError: There is none.
    """
    structure = read_answer(task, source).structure
    if isinstance(structure, NoStructure):
        raise UsageError(f"nothing to render: {structure.reason}")
    return structure


def member_named(kind: str, members: type[M], name: M | str) -> M:
    """Return the member of an enum that a name means; a member is returned as it is."""
    if not isinstance(name, str):
        return name
    known = {member.name.lower(): member for member in members}
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return known[name]


async def attempted(
    task: RenderedTask[D],
    document: D,
    source: str,
    once: Callable[[D], Awaitable[Rendering]],
    repair: bool,
) -> RenderedSource:
    """Return what became of a document that was made of a source, after repairs if they are wanted."""
    repairs: tuple[Repair, ...] = ()
    if repair:
        attempts = await render_with_repairs_async(task, document, once)
        document, rendering, repairs = attempts.document, attempts.last, attempts.repairs
    else:
        rendering = await once(document)
    error = rendering.error
    own = line_of_answer(source, document.source, error.line) if error and not error.file else 0
    return RenderedSource(rendering, repairs, document.source, own)
