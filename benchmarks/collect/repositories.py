"""Cuts and draws what packages of registries hold as if they were repositories, and counts why it is dropped.

    python -m benchmarks.collect.repositories sites ARCHIVE… --renderer ADDRESS
    python -m benchmarks.collect.repositories scores ARCHIVE… --renderer ADDRESS

An archive is a .tgz of `npm pack` or an sdist of PyPI. For `sites`, each of its folders with an index page is
taken as a repository; for `scores`, the whole archive. Archives are not part of the project. The result says
how many repositories there were, and how many pieces were cut, drawn and kept, with reasons for the others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from i2s_client.render import AsyncRenderClient
from i2s_collect.candidates import Dropped, Licence, SourceDocument
from i2s_collect.github import GithubPagesSource
from i2s_collect.music import GithubScoresSource
from i2s_collect.rendering import draw
from i2s_collect.source import Source
from i2s_sdk.data.hub import packed
from i2s_sdk.instances.site_files import INDEXES, read_repository

#: The most pieces of one repository that are drawn.
PIECES_PER_REPOSITORY = 20


def repositories(archive: Path, kind: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of what is taken as a repository."""
    raw = archive.read_bytes()
    if kind == "scores":
        yield archive.name, raw
        return
    files, _ = read_repository(raw)
    folders = {name.rpartition("/")[0] for name in files if name.rpartition("/")[2] in INDEXES}
    for folder in sorted(folders):
        prefix = f"{folder}/" if folder else ""
        inner = {
            f"top/{name.removeprefix(prefix)}": raw for name, raw in files.items() if name.startswith(prefix)
        }
        yield f"{archive.name}/{folder}", packed(inner)


async def measure(
    source: Source, archives: list[Path], kind: str, address: str, images: Path | None
) -> dict[str, object]:
    """Return the counts; images of kept pieces are written to a folder."""
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    name = "render-html" if kind == "sites" else "render-lilypond"
    async with AsyncRenderClient(address) as client:
        for archive in archives:
            try:
                found = list(repositories(archive, kind))
            except ValueError as error:
                reasons[f"archive: {error}"[:80]] += 1
                continue
            for key, content in found:
                counts["repositories"] += 1
                document = SourceDocument(
                    key, date.today(), "", Licence(), "", (), "", {"subset": source.subsets[0]}
                )
                for number, piece in enumerate(source.cut(document, content)):
                    if isinstance(piece, Dropped):
                        reasons[f"cut: {piece.reason}"] += 1
                        continue
                    counts["cut"] += 1
                    if number >= PIECES_PER_REPOSITORY:
                        reasons["not drawn: enough of its repository"] += 1
                        continue
                    counts["drawn"] += 1
                    drawn = await draw(source, piece, {name: client})
                    if isinstance(drawn, Dropped):
                        reasons[f"render: {drawn.reason}"] += 1
                        print(key, piece.member, drawn.reason, drawn.detail[:200])
                        continue
                    counts["kept"] += 1
                    if images is not None:
                        await asyncio.to_thread((images / f"{drawn.sha256}.png").write_bytes, drawn.png)
    return {"counts": dict(counts), "reasons": dict(reasons.most_common())}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kind", choices=("sites", "scores"))
    parser.add_argument("archives", nargs="+", type=Path)
    parser.add_argument("--renderer", required=True, help="address of render-html or render-lilypond")
    parser.add_argument("--pictures", type=Path, help="folder for the pictures of kept pieces")
    options = parser.parse_args()
    source: Source = GithubPagesSource() if options.kind == "sites" else GithubScoresSource()
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    found = measure(source, options.archives, options.kind, options.renderer, options.pictures)
    print(json.dumps(asyncio.run(found), indent=1))


if __name__ == "__main__":
    main()
