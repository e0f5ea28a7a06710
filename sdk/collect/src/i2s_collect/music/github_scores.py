"""LilyPond sources of repositories on GitHub, for the task ``music``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from i2s_collect.candidates import Dropped, Fetched, Piece, Reason, SourceDocument, Window
from i2s_collect.github.api import GithubApi
from i2s_collect.github.repository import REDISTRIBUTABLE, fetch_checkout, read_checkout
from i2s_collect.github.search import candidate, find_repositories
from i2s_collect.music.lilypond_sources import cut_scores, score_fault
from i2s_collect.web.answer import Web
from i2s_wire.render.rendering import Rendering

#: The largest repository, in kB as the search counts them, and its largest archive.
MAX_REPOSITORY_KB, MAX_ARCHIVE_BYTES = 50_000, 50_000_000
#: Suffix of a source that is engraved by itself.
SUFFIX = ".ly"
SUBSET = "music"


@dataclass(frozen=True, slots=True)
class GithubScoresSource:
    """Repositories whose main language is LilyPond, created within a window."""

    #: Interface of GitHub.
    api: GithubApi = field(default_factory=GithubApi)
    #: Whether only repositories are asked for whose licence permits to publish copies.
    redistributable: bool = False
    #: Name of the source.
    name: str = "github-music"
    #: Name of the task.
    task: str = "music"
    #: The one subset.
    subsets: tuple[str, ...] = (SUBSET,)

    def discover(self, window: Window, web: Web) -> Iterator[SourceDocument | Dropped]:
        """Yield every repository of a window, or why it is left out."""
        seen: set[str] = set()
        terms = (f"size:<={MAX_REPOSITORY_KB}", "language:LilyPond", "fork:false", "archived:false")
        for licence in REDISTRIBUTABLE if self.redistributable else ("",):
            query = (*terms, f"license:{licence}") if licence else terms
            for found in find_repositories(web, self.api, query, window):
                if isinstance(found, Dropped):
                    yield found
                elif found.full_name not in seen:
                    seen.add(found.full_name)
                    yield candidate(found)

    def fetch(self, document: SourceDocument, web: Web) -> Fetched | Dropped:
        """Return the archive of a repository at a commit of its default branch."""
        return fetch_checkout(document, web, self.api, MAX_ARCHIVE_BYTES)

    def cut(self, document: SourceDocument, content: bytes) -> Iterator[Piece | Dropped]:
        """Yield the scores of all sources of a repository, in the order of their names."""
        try:
            files, _ = read_checkout(content)
        except ValueError as error:
            yield Dropped(Reason.BAD_ARCHIVE, f"the archive {error}"[:300], document.key)
            return
        sources = sorted(name for name in files if name.lower().endswith(SUFFIX))
        if not sources:
            yield Dropped(Reason.NO_ROOT_FILE, f"no file ends with {SUFFIX}", document.key)
        for name in sources:
            for piece in cut_scores(SUBSET, name, files[name], files):
                yield piece if isinstance(piece, Piece) else replace(piece, key=document.key)

    def rendering_fault(self, piece: Piece, rendering: Rendering) -> Dropped | None:
        """Return why a rendering is not a reference, or None."""
        return score_fault(piece, rendering)
