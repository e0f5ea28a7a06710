"""The files of a site: their checks, and the fixed origin under which a URL names one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote, unquote, urlsplit

from i2s_chassis.renderer.bounds import check_name, check_names, shown
from i2s_render_html.model import SiteJob
from i2s_render_html.settings import HtmlSettings
from i2s_wire.render.request import File

#: The page of a site whose job names none.
INDEX = "index.html"


def complaint(job: SiteJob, bounds: HtmlSettings) -> str | None:
    """Return why a site cannot be shown, None if it can.

    Returns:
        One sentence that begins with the field at fault and names the file.
    """
    count = len(job.files) + len(job.assets)
    if count > bounds.site_files:
        return f"site.files: has {count} files with the assets, at most {bounds.site_files} are taken"
    assets = [asset.path for asset in job.assets]
    given = frozenset(assets)
    fault = check_names(assets)
    if fault is not None:
        return f'site.assets: the file name "{fault.name}" {fault.reason}'
    fault = check_names((file.path for file in job.files if file.path not in given), assets)
    if fault is not None:
        return f'site.files: the file name "{fault.name}" {fault.reason}'
    if job.entry_path and (reason := check_name(job.entry_path)):
        return f'site.entry_path: the file name "{shown(job.entry_path)}" {reason}'
    return _size_complaint((*job.assets, *job.files), bounds)


def _size_complaint(files: Sequence[File], bounds: HtmlSettings) -> str | None:
    total, most = 0, bounds.site_file_bytes
    for file in files:
        size = len(file.content)
        if size > most:
            return f'site.files: "{shown(file.path)}" has {size} bytes, at most {most} are taken'
        total += size
    if total > bounds.site_bytes:
        return f"site.files: all together have {total} bytes, at most {bounds.site_bytes} are taken"
    return None


def lay_out(job: SiteJob) -> dict[str, bytes]:
    """Return the files of a site by path; an authored file of the same path as an asset is left out."""
    return {file.path: file.content for file in (*job.files, *job.assets)}


def with_assets(files: dict[str, bytes], job: SiteJob) -> dict[str, bytes]:
    """Return a built site in which every asset is what was given, whatever the build made of it."""
    return {**files, **{asset.path: asset.content for asset in job.assets}}


#: The address of `jekyll serve`, so that sites which build whole URLs find themselves. Nothing listens
#: there: every request is answered from memory or refused.
ORIGIN = "http://localhost:4000"

#: Media types by ending, in lower case. A table of our own, so that no file of the machine decides.
_TYPES = {
    "": "application/octet-stream",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".gif": "image/gif",
    ".htm": "text/html; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".map": "application/json; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".mp3": "audio/mpeg",
    ".mp4": "video/mp4",
    ".ogg": "audio/ogg",
    ".otf": "font/otf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".wav": "audio/wav",
    ".webm": "video/webm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xhtml": "application/xhtml+xml; charset=utf-8",
    ".xml": "application/xml; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class ServedFile:
    """A file that a URL means: its path and the media type it is served as."""

    path: str
    media_type: str


def url_of(path: str) -> str:
    """Return the URL of a file of the site."""
    return f"{ORIGIN}/{quote(path)}"


def is_ours(url: str) -> bool:
    """Whether a URL lies under the origin."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return f"{parts.scheme}://{parts.netloc}" == ORIGIN


def path_of(url: str) -> str:
    """Return the path that a URL of the origin asks for, without the leading "/"."""
    return unquote(urlsplit(url).path, errors="replace").lstrip("/")


def find(files: Mapping[str, bytes], url: str) -> ServedFile | None:
    """Return the file of a site that a URL of the origin means, None if there is none.

    A folder means its index page, and a name without an ending the page of that name, as with
    `jekyll serve`.
    """
    path = path_of(url)
    folder = path.rstrip("/")
    candidates = [path, f"{folder}/{INDEX}" if folder else INDEX]
    if path and not path.endswith("/"):
        candidates.append(f"{path}.html")
    for candidate in candidates:
        if candidate in files:
            return ServedFile(candidate, media_type(candidate))
    return None


def media_type(path: str) -> str:
    """Return the media type that a file is served as."""
    return _TYPES.get(PurePosixPath(path).suffix.lower(), _TYPES[""])
