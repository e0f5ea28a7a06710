"""One web site, or an answer with one, to one image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_client.render import AsyncRenderClient
from i2s_sdk.errors import DataError
from i2s_sdk.instances.site_files import read_site_folder, read_tar, read_zip
from i2s_sdk.settings import Settings
from i2s_sdk.single.render import RenderedSource, with_renderer
from i2s_sdk.tasks import NoStructure, Repair
from i2s_sdk.tasks.answer_reading import read_answer
from i2s_sdk.tasks.webpage import Site, WebpageTask
from i2s_sdk.tasks.webpage.site import site_of
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.options import SiteOptions, WindowOptions
from i2s_wire.render.request import RenderRequest, SiteSource
from i2s_wire.renderers import RENDER_HTML

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

    return with_renderer(RENDER_HTML.name, work, settings)
