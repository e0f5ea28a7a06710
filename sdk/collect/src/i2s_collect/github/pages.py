"""Web pages of repositories that GitHub Pages publishes, for the task ``webpage``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from i2s_collect.candidates import Dropped, Fetched, Piece, Reason, SourceDocument, Window
from i2s_collect.github.api import GithubApi
from i2s_collect.github.checkout import MAX_ARCHIVE_BYTES, fetch_checkout, read_checkout
from i2s_collect.github.repository import REDISTRIBUTABLE
from i2s_collect.github.search import candidate, find_repositories
from i2s_collect.github.site_filter import count, published_files, site_fault, source_text, tree_hash
from i2s_collect.web.answer import Web
from i2s_sdk.data.hub_row import asset_names, packed
from i2s_wire.render.isolation import PolicyKind
from i2s_wire.render.rendering import Rendering

#: The subsets, which are the languages that GitHub calls the main one of a repository.
LANGUAGES = ("css", "html", "javascript")
#: The largest repository, in kB as the search counts them.
MAX_REPOSITORY_KB = 100

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class GithubPagesSource:
    """Repositories whose name has "github.io", created within a window.

    Attributes:
        api: Interface of GitHub.
        redistributable: Whether only repositories are asked for whose licence permits to publish copies.
        templates: Tree hashes of sites that are copies of a template; see ``tree_hash``.
        name: Name of the source.
        task: Name of the task.
        subsets: Languages.
    """

    api: GithubApi = field(default_factory=GithubApi)
    redistributable: bool = False
    templates: frozenset[str] = frozenset()
    name: str = "github-pages"
    task: str = "webpage"
    subsets: tuple[str, ...] = LANGUAGES

    def discover(self, window: Window, web: Web) -> Iterator[SourceDocument | Dropped]:
        """Yield every repository of a window, or why it is left out."""
        seen: set[str] = set()
        for language in self.subsets:
            for licence in REDISTRIBUTABLE if self.redistributable else ("",):
                for found in find_repositories(web, self.api, _terms(language, licence), window):
                    if isinstance(found, Dropped):
                        yield found
                    elif found.full_name not in seen:
                        seen.add(found.full_name)
                        yield candidate(found, subset=language)

    def fetch(self, document: SourceDocument, web: Web) -> Fetched | Dropped:
        """Return the archive of a repository at a commit of its default branch."""
        return fetch_checkout(document, web, self.api, MAX_ARCHIVE_BYTES)

    def cut(self, document: SourceDocument, content: bytes) -> Iterator[Piece | Dropped]:
        """Yield the site of a repository, which is one piece, or why it is not taken."""
        piece = self._piece(str(document.detail.get("subset", "")), content)
        yield piece if isinstance(piece, Piece) else replace(piece, key=document.key)

    def rendering_fault(self, piece: Piece, rendering: Rendering) -> Dropped | None:
        """Return what a page lacks without a network, or None if it is whole."""
        blocked = [one.detail for one in rendering.policy_events if one.kind is PolicyKind.NETWORK]
        site = rendering.site
        if blocked:
            return Dropped(Reason.NEEDS_NETWORK, _listed(blocked), subset=piece.subset)
        if site is None:
            return None
        if site.missing:
            return Dropped(Reason.MISSING_FILE, _listed(site.missing), subset=piece.subset)
        if site.left_out:
            return Dropped(Reason.THEME, site.left_out[0], subset=piece.subset)
        if not site.settled and rendering.verdict.has_picture:
            return Dropped(Reason.NOT_SETTLED, subset=piece.subset)
        return None

    def _piece(self, subset: str, content: bytes) -> Piece | Dropped:
        try:
            files, links = read_checkout(content)
        except ValueError as error:
            return Dropped(Reason.BAD_ARCHIVE, f"the archive {error}"[:300], subset=subset)
        if links:
            return Dropped(Reason.LINKS, _listed(links), subset=subset)
        files = published_files(files)
        if fault := site_fault(files):
            return replace(fault, subset=subset)
        tree = tree_hash(files)
        if tree in self.templates:
            return Dropped(Reason.TEMPLATE, f"tree {tree}", subset=subset)
        return Piece(
            subset=subset,
            member="",
            span=(0, 0),
            structure=packed(files),
            text=source_text(files),
            length=count(files).lines,
            assets=asset_names(files),
            notes={"tree": tree},
        )


def _terms(language: str, licence: str) -> tuple[str, ...]:
    """Return the query of a subset, without the times of creation."""
    terms = (
        "github.io in:name",
        f"size:<={MAX_REPOSITORY_KB}",
        f"language:{language}",
        "fork:false",
        "archived:false",
    )
    return (*terms, f"license:{licence}") if licence else terms


def _listed(names: list[str] | tuple[str, ...]) -> str:
    more = len(names) - _SHOWN
    listed = ", ".join(name[:100] for name in names[:_SHOWN])
    return f"{listed} and {more} more" if more > 0 else listed
