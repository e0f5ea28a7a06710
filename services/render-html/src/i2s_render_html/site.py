"""Check the files of a site before anything touches them, and lay authored files and assets together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from i2s_chassis.renderer.bounds import check_name, check_names, shown
from i2s_render_html.model import Job
from i2s_wire.render.request import File

#: The page of a site whose job names none.
INDEX = "index.html"


@dataclass(frozen=True, slots=True)
class SiteBounds:
    """How large a site may be: number of files, bytes of each, bytes of all."""

    files: int = 1000
    file_bytes: int = 16 * 1024 * 1024
    total_bytes: int = 64 * 1024 * 1024


def complaint(job: Job, bounds: SiteBounds) -> str | None:
    """Return why a site cannot be shown, None if it can.

    Returns:
        One sentence that begins with the field at fault and names the file.
    """
    count = len(job.files) + len(job.assets)
    if count > bounds.files:
        return f"site.files: has {count} files with the assets, at most {bounds.files} are taken"
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


def _size_complaint(files: Sequence[File], bounds: SiteBounds) -> str | None:
    total = 0
    for file in files:
        size = len(file.content)
        if size > bounds.file_bytes:
            return f'site.files: "{shown(file.path)}" has {size} bytes, at most {bounds.file_bytes} are taken'
        total += size
    if total > bounds.total_bytes:
        return f"site.files: all together have {total} bytes, at most {bounds.total_bytes} are taken"
    return None


def lay_out(job: Job) -> dict[str, bytes]:
    """Return the files of a site by path; an authored file of the same path as an asset is left out."""
    return {file.path: file.content for file in (*job.files, *job.assets)}


def with_assets(files: dict[str, bytes], job: Job) -> dict[str, bytes]:
    """Return a built site in which every asset is what was given, whatever the build made of it."""
    return {**files, **{asset.path: asset.content for asset in job.assets}}
