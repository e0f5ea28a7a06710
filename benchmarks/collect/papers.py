"""Cuts and draws LaTeX sources as if they were papers, and counts how many pieces are cut, compiled and kept.

    python -m benchmarks.collect.papers FOLDER… --renderer ADDRESS

Each folder is taken as a paper with all files below it, such as /usr/share/doc/texlive-doc/latex/* of
Debian's documentation packages, whose compressed files must be unpacked before. Folders are not part of the
project. A piece is compiled if it is drawn without an error, and kept if its rendering is a reference (one
page, no box far too wide) that passes the filters on images. Of one folder and subset only the first pieces
are drawn, in the order of a hash, so that large manuals do not outweigh the others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from i2s_client.render import AsyncRenderClient
from i2s_collect.arxiv import ArxivSource
from i2s_collect.candidates import Dropped, Piece, Reason
from i2s_collect.filters import Filters
from i2s_collect.rendering import draw
from i2s_collect.tex.cutting import cut_paper

#: The most pieces of one folder and subset that are drawn.
PIECES_PER_SUBSET = 10
#: Renders at once.
CONCURRENCY = 2
#: Reasons of pieces that compile and are no references.
COMPILED = frozenset({Reason.SEVERAL_PAGES, Reason.OVERFULL})


def members_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by relative name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def chosen(pieces: list[Piece]) -> Iterator[Piece]:
    """Yield the pieces of a folder that are drawn."""
    by_subset: defaultdict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        by_subset[piece.subset].append(piece)
    for found in by_subset.values():
        yield from sorted(found, key=lambda one: sha256(one.structure).digest())[:PIECES_PER_SUBSET]


class Measurement:
    """Counts by subset.

    Args:
        client: Client of render-latex.
        failures: File that a line is appended to for each piece that is not kept; None for nowhere.
        pictures: Folder for the images of kept pieces; None for none.
    """

    def __init__(self, client: AsyncRenderClient, failures: Path | None, pictures: Path | None) -> None:
        self._client, self._failures, self._pictures = client, failures, pictures
        self._source, self._filters = ArxivSource(), Filters("latex")
        self._turns = asyncio.Semaphore(CONCURRENCY)
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)

    async def folder(self, folder: Path) -> None:
        """Cut a folder and draw its pieces."""
        members = await asyncio.to_thread(members_of, folder)
        found = await asyncio.to_thread(lambda: list(cut_paper(members)))
        self.counts["documents"]["all"] += 1
        for one in found:
            if isinstance(one, Dropped):
                self.reasons[one.subset or "documents"][f"cut: {one.reason}"] += 1
            else:
                self.counts[one.subset]["cut"] += 1
        pieces = [one for one in found if isinstance(one, Piece)]
        await asyncio.gather(*(self._piece(folder.name, piece) for piece in chosen(pieces)))

    async def _piece(self, name: str, piece: Piece) -> None:
        counts = self.counts[piece.subset]
        async with self._turns:
            drawn = await draw(self._source, piece, {"render-latex": self._client})
        counts["drawn"] += 1
        if isinstance(drawn, Dropped):
            counts["compiled"] += drawn.reason in COMPILED
            self._refused(name, piece, "render", drawn)
            return
        counts["compiled"] += 1
        judged = self._filters.judge(piece, drawn.png, piece.text)
        if judged.dropped:
            self._refused(name, piece, "judge", judged.dropped)
            return
        counts["kept"] += 1
        if self._pictures is not None:
            (self._pictures / f"{piece.subset}-{drawn.sha256[:16]}.png").write_bytes(drawn.png)

    def _refused(self, name: str, piece: Piece, stage: str, dropped: Dropped) -> None:
        self.reasons[piece.subset][f"{stage}: {dropped.reason}"] += 1
        if self._failures is None:
            return
        line = {
            "folder": name,
            "member": piece.member,
            "subset": piece.subset,
            "reason": dropped.reason,
            "detail": dropped.detail,
            "text": piece.text,
        }
        with self._failures.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def result(self) -> dict[str, object]:
        """Return counts, the share of drawn pieces that compile, and reasons."""
        shares = {
            subset: round(counts["compiled"] / counts["drawn"], 3)
            for subset, counts in self.counts.items()
            if counts["drawn"]
        }
        return {
            "counts": {subset: dict(counts) for subset, counts in self.counts.items()},
            "compiled share": shares,
            "reasons": {subset: dict(counts.most_common()) for subset, counts in self.reasons.items()},
        }


async def measure(options: argparse.Namespace) -> dict[str, object]:
    """Return the counts of all folders."""
    async with AsyncRenderClient(options.renderer) as client:
        measurement = Measurement(client, options.failures, options.pictures)
        for folder in options.folders:
            if folder.is_dir():
                await measurement.folder(folder)
        return measurement.result()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--renderer", required=True, help="address of render-latex")
    parser.add_argument(
        "--failures", type=Path, help="file to which a line for each refused piece is appended"
    )
    parser.add_argument("--pictures", type=Path, help="folder for the pictures of kept pieces")
    options = parser.parse_args()
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    print(json.dumps(asyncio.run(measure(options)), indent=1))


if __name__ == "__main__":
    main()
