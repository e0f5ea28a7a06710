"""The sites of a data set, as files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from i2s_render_html.model import Job
from i2s_sdk.instances.site_files import read_tar
from i2s_wire.render.request import File

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@dataclass(frozen=True, slots=True)
class Site:
    """A site: its name, and its files by path."""

    name: str
    files: dict[str, bytes]

    def job(self) -> Job:
        """Return what the renderer is asked."""
        return Job(tuple(File(path, content) for path, content in self.files.items()))

    def write(self, folder: Path) -> None:
        """Write the files into a folder."""
        for path, content in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def read_sites(data: Path = EXAMPLES) -> list[Site]:
    """Return the sites of a data set, in the order of their names."""
    rows = map(json.loads, (data / "instances.jsonl").read_text(encoding="utf-8").splitlines())
    archives = {row["id"]: data / row["structure"] for row in rows if row["task"] == "webpage"}
    return [Site(name, read_tar(archives[name].read_bytes())) for name in sorted(archives)]
