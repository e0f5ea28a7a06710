"""Archives of repositories, sound and hostile, the same bytes each time."""

from __future__ import annotations

import functools
import gzip
import io
import tarfile
from collections.abc import Mapping


def archive(top: str, files: Mapping[str, bytes], links: Mapping[str, str] | None = None) -> bytes:
    """Return a .tar.gz as codeload makes it: everything in one folder, links as links.

    Args:
        top: Name of the folder; empty for none.
        files: Contents by path in the repository, which may lead out of it.
        links: Target of each symbolic link.
    """
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, raw in sorted(files.items()):
            member = tarfile.TarInfo(f"{top}/{name}" if top else name)
            member.size = len(raw)
            tar.addfile(member, io.BytesIO(raw))
        for name, target in sorted((links or {}).items()):
            member = tarfile.TarInfo(f"{top}/{name}" if top else name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            tar.addfile(member)
    return gzip.compress(content.getvalue(), mtime=0)


@functools.cache
def bomb(size: int = 280_000_000) -> bytes:
    """Return a small .tar.gz that unpacks to more than is read."""
    content = io.BytesIO()
    with gzip.GzipFile(fileobj=content, mode="wb", compresslevel=1, mtime=0) as packed:
        member = tarfile.TarInfo("site/index.html")
        member.size = size
        packed.write(member.tobuf())
        block = bytes(1_000_000)
        for _ in range(size // len(block)):
            packed.write(block)
    return content.getvalue()
