"""The sites of the examples, as files."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass
from pathlib import Path

from i2s_render_html.jekyll import needs_jekyll
from i2s_render_html.model import Job
from i2s_wire.render.request import File


@dataclass(frozen=True, slots=True)
class Site:
    """A site: its name, and its files by path."""

    name: str
    files: dict[str, bytes]

    @property
    def needs_jekyll(self) -> bool:
        """Whether Jekyll would change it."""
        return needs_jekyll(self.files)

    def job(self) -> Job:
        """Return what the renderer is asked."""
        return Job(tuple(File(path, content) for path, content in self.files.items()))

    def write(self, folder: Path) -> None:
        """Write the files into a folder."""
        for path, content in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def read_sites(folder: Path) -> list[Site]:
    """Return the sites of a data set's folder of archives, in the order of their names."""
    sites = []
    for path in sorted(folder.glob("webpage-*.tar.gz")):
        with tarfile.open(path) as archive:
            files = {}
            for member in archive:
                content = archive.extractfile(member) if member.isfile() else None
                if content is not None:
                    files[member.name.removeprefix("./")] = content.read()
        sites.append(Site(path.name.partition(".")[0], files))
    return sites
