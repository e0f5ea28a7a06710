"""One source to one image, with the documents and repairs of the benchmark."""

from __future__ import annotations

import enum
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from i2s_client.render import AsyncRenderClient
from i2s_client.service_table import RENDER_HTML, RENDER_LATEX, RENDER_LILYPOND, RENDER_PYTHON, languages
from i2s_sdk.errors import DataError, UnknownNameError, UsageError
from i2s_sdk.instances.site_files import read_site_folder, read_tar, read_zip
from i2s_sdk.reading import fenced_blocks
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import open_services, passing_logs
from i2s_sdk.tasks import NoStructure, RenderedTask, Repair, Structure, Task, render_with_repairs_async
from i2s_sdk.tasks.answer_reading import line_of_answer, read_answer
from i2s_sdk.tasks.chart.document import ChartProgram
from i2s_sdk.tasks.chart.reading import is_program
from i2s_sdk.tasks.chart.task import ChartTask
from i2s_sdk.tasks.latex import LatexDocument, LatexTask
from i2s_sdk.tasks.music import LilypondDocument, MusicTask
from i2s_sdk.tasks.task import D
from i2s_sdk.tasks.webpage import Site, WebpageTask
from i2s_sdk.tasks.webpage.site import site_of
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.options import (
    Crop,
    LatexEngine,
    LilypondBackend,
    PageOptions,
    RenderOptions,
    SiteOptions,
    WindowOptions,
)
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import RenderRequest, SiteSource

_ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b"
_HTML_SUFFIXES = (".html", ".htm")


@dataclass(frozen=True, slots=True)
class FoundSite:
    """A site, and what had to be mended to read it."""

    site: Site
    repairs: tuple[Repair, ...] = ()


#: What a site is given as: its files by relative name, a path, or what was found before.
Given = Path | str | Mapping[str, bytes] | FoundSite


def read_site(given: Given, task: WebpageTask) -> FoundSite:
    """Return the site that a path names, or that some files are.

    Args:
        given: Files by relative name; a path; what was found before.
        task: How the answer of a model is read.

    Raises:
        DataError: The path cannot be read, or holds no site.
    """
    if isinstance(given, FoundSite):
        return given
    if not isinstance(given, Path | str):
        return FoundSite(site_of(given, {}))
    path = Path(given)
    try:
        if path.is_dir():
            return FoundSite(site_of(read_site_folder(path), {}))
        raw = path.read_bytes()
        if raw.startswith(_ZIP):
            return FoundSite(site_of(read_zip(raw), {}))
        if raw.startswith(_GZIP) or path.suffix == ".tar":
            return FoundSite(site_of(read_tar(raw), {}))
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DataError(path, 0, str(error)) from None
    if path.suffix.lower() in _HTML_SUFFIXES:
        return FoundSite(site_of({"index.html": raw}, {}))
    return site_of_answer(raw, task, path)


def site_of_answer(raw: bytes, task: WebpageTask, where: Path) -> FoundSite:
    """Return the site in the answer of a model.

    Raises:
        DataError: There is none; ``where`` is named.
    """
    try:
        answer = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(
            where, 0, "is no folder, archive (.zip, .tar.gz), HTML document or answer of a model in UTF-8"
        ) from None
    structure = read_answer(task, answer).structure
    if isinstance(structure, NoStructure):
        raise DataError(where, 0, structure.reason)
    return FoundSite(task.document(structure), structure.repairs)


A = TypeVar("A")
M = TypeVar("M", bound=enum.Enum)

_CLASS = re.compile(r"^[^%\n]*\\document(?:class|style)\b", re.MULTILINE)


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


def is_document(source: str) -> bool:
    r"""Return whether LaTeX code is a document of its own: it has a ``\documentclass`` outside a comment."""
    return _CLASS.search(source) is not None


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
        language: Language, such as "latex", or one of a renderer of another package.
        source: The file that is rendered.
        files: The files beside it, by relative path.
        page: For renderers that make pages: which, and how; None takes their defaults.
        window: For renderers that show a window; None takes their defaults.
        settings: None reads environment and configuration file.

    Raises:
        UnknownNameError: Nothing renders this language.
        StackError: The renderer cannot be started.
        ServiceError: It does not answer, or does not take these options.
    """
    known = languages()
    if language not in known:
        raise UnknownNameError("language", language, known)
    spec = known[language]
    text = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    options = RenderOptions(page=page or PageOptions(), window=window or WindowOptions())
    request = RenderRequest(spec.source_of(text, files), options)

    async def work(renderer: AsyncRenderClient) -> RenderedSource:
        return RenderedSource(await renderer.render(request), (), text.decode("utf-8", "replace"))

    return _with_renderer(spec.name, work, settings or Settings.load())


def render_latex(
    source: str,
    *,
    profile: Profile | str | None = None,
    repair: bool = True,
    dpi: float | None = None,
    page: int = 1,
    whole_page: bool = False,
    engine: LatexEngine | str | None = None,
    settings: Settings | None = None,
) -> RenderedSource:
    r"""Render LaTeX code in its jail.

    >>> render_latex(r"\[ e^{i\pi} + 1 = 0 \]").png  # doctest: +SKIP

    A document is rendered as it is. Anything else is taken as the answer of a model: it is read as a run
    reads it, gets the preamble of the profile, and what the engine refuses is repaired.

    Args:
        source: LaTeX code, or the answer of a model.
        profile: Profile whose rules are followed; None takes that of the settings.
        repair: Whether refused code that is not a document is repaired.
        dpi: Resolution; None is that of the benchmark, 200.
        page: The page that is shown, counted from 1.
        whole_page: Keep the page as it is: no cut at the foot, no crop.
        engine: "pdflatex" (None), "lualatex" or "xelatex".
        settings: None reads environment and configuration file.

    Raises:
        UnknownNameError: There is no such engine.
        UsageError: The source is an answer without LaTeX.
        StackError: The renderer cannot be started.
        ServiceError: It does not answer; or the engine is not installed there.
    """
    settings = settings or Settings.load()
    tex = _member("engine", LatexEngine, engine) if engine is not None else None
    task = LatexTask(Profile(profile or settings.profile))
    options = page_options(task.page(), dpi, page, whole_page)

    async def work(renderer: AsyncRenderClient) -> RenderedSource:
        return await render_source(renderer, task, source, options, repair, tex)

    return _with_renderer(RENDER_LATEX, work, settings)


def render_lilypond(
    source: str,
    *,
    profile: Profile | str | None = None,
    repair: bool = True,
    dpi: float | None = None,
    page: int = 1,
    whole_page: bool = False,
    backend: LilypondBackend | str | None = None,
    want_notes: bool = False,
    settings: Settings | None = None,
) -> RenderedSource:
    r"""Render a LilyPond score in its jail.

    Args:
        source: LilyPond code, or the answer of a model. Without ``\version`` it is taken as current syntax,
            and what fails so is converted from older versions (profile ``paper``).
        profile: Profile whose rules are followed; None takes that of the settings.
        repair: Whether older versions are tried.
        dpi: Resolution; None is that of the benchmark, 101.
        page: The page that is shown, counted from 1.
        whole_page: Keep the page as it is: no cut at the foot, no crop, footers and tagline on.
        backend: What draws the pages: "ghostscript" (None, and that of the benchmark) or "cairo", which takes
            less time and draws slightly different pixels.
        want_notes: Return the notes that were engraved too (``rendering.notes``).
        settings: None reads environment and configuration file.

    Raises:
        UnknownNameError: There is no such back end.
        UsageError: The source is an answer without LilyPond code.
        StackError: The renderer cannot be started.
        ServiceError: It does not answer; or its LilyPond was built without cairo.
    """
    settings = settings or Settings.load()
    task = MusicTask(Profile(profile or settings.profile))
    options = task.options()
    options = replace(options, page=page_options(options.page, dpi, page, whole_page))
    if whole_page:
        options = replace(options, lilypond=replace(options.lilypond, no_footers=False))
    if backend is not None:
        options = replace(
            options, lilypond=replace(options.lilypond, backend=_member("back end", LilypondBackend, backend))
        )

    options = replace(options, lilypond=replace(options.lilypond, want_notes=want_notes))
    structure = _structure(task, source)

    async def work(renderer: AsyncRenderClient) -> RenderedSource:
        async def once(score: LilypondDocument) -> Rendering:
            return await renderer.render(replace(task.request(score), options=options))

        return await _attempted(task, task.document(structure), source, once, repair)

    return _with_renderer(RENDER_LILYPOND, work, settings)


def render_python(
    program: str,
    *,
    files: Mapping[str, bytes] | None = None,
    dpi: float | None = None,
    figure: int | None = None,
    want_objects: bool = False,
    repair: bool = True,
    settings: Settings | None = None,
) -> RenderedSource:
    """Run a Python program in its jail and return the figure that it draws.

    >>> render_python("import matplotlib.pyplot as plt; plt.plot([1, 2])").png  # doctest: +SKIP

    Args:
        program: A program, or the answer of a model. What it shows, saves or leaves open is its figures; see
            docs/render-python.md.
        files: The files beside it, by relative path.
        dpi: Resolution; None is that of the program.
        figure: Number of the figure, counted from 1; None is the last.
        want_objects: Return the objects of the figure as data too (``rendering.figures``).
        repair: Whether a program without a figure is repaired; see docs/chart.md.
        settings: None reads environment and configuration file.

    Raises:
        UsageError: It is an answer without a program.
        StackError: The renderer cannot be started.
        ServiceError: It does not answer.
    """
    task = ChartTask()
    structure = Structure(program) if is_program(program) else _structure(task, program)
    page = PageOptions(dpi=dpi, first_page=figure)

    async def work(renderer: AsyncRenderClient) -> RenderedSource:
        async def once(document: ChartProgram) -> Rendering:
            python = replace(document.options, want_objects=want_objects)
            request = replace(task.request(document), options=RenderOptions(page=page, python=python))
            return await renderer.render(request)

        return await _attempted(task, task.document(structure, files), program, once, repair)

    return _with_renderer(RENDER_PYTHON, work, settings or Settings.load())


def render_html(
    site: Given,
    *,
    assets: Mapping[str, bytes] | None = None,
    entry_path: str = "",
    window: WindowOptions | None = None,
    options: SiteOptions | None = None,
    profile: Profile | str | None = None,
    settings: Settings | None = None,
) -> RenderedSource:
    """Render a web site in its jail.

    >>> render_html("site/", window=WindowOptions(1280, 720)).png  # doctest: +SKIP

    Args:
        site: Files by relative name; or the path of a folder, of an archive (.zip, .tar.gz), of an HTML
            document, or of the answer of a model.
        assets: Files that win over files of the same name.
        entry_path: The page that is shown; empty is the index page.
        window: Viewport; None is that of the benchmark, 1920 x 1080.
        options: What is returned beside the image, and whether Jekyll runs; None takes the defaults.
        profile: How the answer of a model is read; None takes that of the settings.
        settings: None reads environment and configuration file.

    Raises:
        DataError: The path cannot be read, or holds no site.
        StackError: The renderer cannot be started.
        ServiceError: It does not answer.
    """
    settings = settings or Settings.load()
    task = WebpageTask(Profile(profile or settings.profile))
    found_site = read_site(site, task)
    chosen = replace(
        task.options(), window=window or task.options().window, site=options or SiteOptions(want_text=True)
    )
    source = SiteSource(found_site.site.files, {**found_site.site.assets, **(assets or {})}, entry_path)

    async def work(renderer: AsyncRenderClient) -> RenderedSource:
        rendering = await renderer.render(RenderRequest(source, chosen))
        return RenderedSource(rendering, found_site.repairs, found_site.site.source)

    return _with_renderer(RENDER_HTML, work, settings)


def page_options(page: PageOptions, dpi: float | None, number: int, whole_page: bool) -> PageOptions:
    """Return the page of a task with what was asked for instead."""
    page = replace(page, first_page=number)
    if dpi is not None:
        page = replace(page, dpi=dpi)
    return replace(page, crop=Crop.NONE, cut_bottom=0.0) if whole_page else page


def _with_renderer(service: str, work: Callable[[AsyncRenderClient], Awaitable[A]], settings: Settings) -> A:
    async def all_of_it() -> A:
        with passing_logs() as logs:
            async with open_services(settings, logs, (service,)) as services:
                return await work(services.renderers[service])

    return run_blocking(all_of_it())


def _structure(task: Task, source: str) -> Structure:
    structure = read_answer(task, source).structure
    if isinstance(structure, NoStructure):
        raise UsageError(f"nothing to render: {structure.reason}")
    return structure


def _member(kind: str, members: type[M], name: M | str) -> M:
    """Return the member of an enum that a name means; a member is returned as it is."""
    if not isinstance(name, str):
        return name
    known = {member.name.lower(): member for member in members}
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return known[name]


async def render_source(
    renderer: AsyncRenderClient,
    task: LatexTask,
    source: str,
    page: PageOptions,
    repair: bool,
    engine: LatexEngine | None = None,
) -> RenderedSource:
    """Render LaTeX code with a renderer at hand; see ``render_latex``."""
    if is_document(source) and not fenced_blocks(source):
        return RenderedSource(await renderer.render_latex(source, page=page, engine=engine), (), source)

    async def once(document: LatexDocument) -> Rendering:
        return await renderer.render_latex(document.source, page=page, engine=engine)

    return await _attempted(task, task.document(_structure(task, source)), source, once, repair)


async def _attempted(
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
