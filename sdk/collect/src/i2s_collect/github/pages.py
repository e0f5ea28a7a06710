"""The web pages of GitHub Pages for the task ``webpage``: repositories that are small sites."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from i2s_collect.candidates import Dropped, Fetched, Piece, Reason, SourceDocument, Window
from i2s_collect.github.api import GithubApi
from i2s_collect.github.repository import MAX_ARCHIVE_BYTES, REDISTRIBUTABLE, fetch_checkout, read_checkout
from i2s_collect.github.search import candidate, find_repositories
from i2s_collect.web.answer import Web
from i2s_sdk.data.hub import asset_names, packed
from i2s_sdk.instances.site_files import INDEXES
from i2s_wire.render.isolation import PolicyKind
from i2s_wire.render.rendering import Rendering

#: Suffixes of files of code, of styles and of assets.
CODE_SUFFIXES = frozenset({".js", ".html", ".md", ".py", ".rb", ".php", ".java", ".c", ".cpp"})
STYLE_SUFFIXES = frozenset({".css"})
ASSET_SUFFIXES = frozenset(
    {".png", ".jpg", ".jpeg", ".gif", ".svg", ".mp4", ".webm", ".mov", ".avi", ".flv", ".wmv", ".mkv"}
)
#: Files at the root that are not counted, in lower case.
UNCOUNTED = frozenset({"license.md", "contributing.md", "gemfile", "gemfile.lock", "_config.yml"})
#: Lines of code of a site.
MIN_CODE_LINES, MAX_CODE_LINES = 10, 1_000
#: The most lines of CSS, files of code, and assets.
MAX_STYLE_LINES, MAX_CODE_FILES, MAX_ASSETS = 2_000, 5, 5
#: Lines that a file counts which is not UTF-8.
LINES_OF_BINARY = 1_000_000

_README = "readme.md"
_MADE_BY_JEKYLL = "_site"
_LARGE_FILE_POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True, slots=True)
class SiteCounts:
    """The counts of a site."""

    #: Number of files of code.
    code_files: int
    #: Their lines.
    code_lines: int
    #: Lines of CSS.
    style_lines: int
    #: Number of images and films.
    assets: int

    @property
    def lines(self) -> int:
        """Lines of code and CSS."""
        return self.code_lines + self.style_lines


def published_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a repository without ``_site`` and folders whose names begin with a dot."""
    kept = {}
    for name, raw in files.items():
        *folders, _ = name.split("/")
        if _MADE_BY_JEKYLL not in folders[:1] and not any(folder.startswith(".") for folder in folders):
            kept[name] = raw
    return kept


def count(files: Mapping[str, bytes]) -> SiteCounts:
    """Count the files of a site; those that begin with a dot and ``UNCOUNTED`` are left out."""
    counted = {name: raw for name, raw in files.items() if _is_counted(name)}
    code = [raw for name, raw in counted.items() if _suffix(name) in CODE_SUFFIXES]
    return SiteCounts(
        code_files=len(code),
        code_lines=sum(map(_lines, code)),
        style_lines=sum(_lines(raw) for name, raw in counted.items() if _suffix(name) in STYLE_SUFFIXES),
        assets=sum(_suffix(name) in ASSET_SUFFIXES for name in counted),
    )


def site_fault(files: Mapping[str, bytes]) -> Dropped | None:
    """Return why a site is not taken, or None."""
    counts = count(files)
    code = [name.lower() for name in files if _is_counted(name) and _suffix(name) in CODE_SUFFIXES]
    if not any(name in files for name in INDEXES):
        return Dropped(Reason.NO_INDEX_PAGE, f"none of {', '.join(INDEXES)} at the root")
    if code == [_README]:
        return Dropped(Reason.CODE_LINES, "a readme is all of its code")
    if counts.code_files > MAX_CODE_FILES:
        return Dropped(
            Reason.TOO_MANY_FILES, f"{counts.code_files} files of code, more than {MAX_CODE_FILES}"
        )
    if counts.assets > MAX_ASSETS:
        return Dropped(Reason.TOO_MANY_FILES, f"{counts.assets} assets, more than {MAX_ASSETS}")
    if not MIN_CODE_LINES <= counts.code_lines <= MAX_CODE_LINES:
        bounds = f"{MIN_CODE_LINES} to {MAX_CODE_LINES}"
        return Dropped(Reason.CODE_LINES, f"{counts.code_lines} lines of code, not {bounds}")
    if counts.style_lines > MAX_STYLE_LINES:
        return Dropped(Reason.CODE_LINES, f"{counts.style_lines} lines of CSS, more than {MAX_STYLE_LINES}")
    if pointer := next((name for name, raw in files.items() if raw.startswith(_LARGE_FILE_POINTER)), None):
        return Dropped(Reason.MISSING_FILE, f"{pointer} is kept in Git LFS, not in the repository")
    return None


def source_text(files: Mapping[str, bytes]) -> str:
    """Return the code and CSS of a site as one text, in the order of names."""
    kinds = CODE_SUFFIXES | STYLE_SUFFIXES
    parts = (raw for name, raw in sorted(files.items()) if _is_counted(name) and _suffix(name) in kinds)
    return "\n".join(raw.decode("utf-8", "replace") for raw in parts)


def tree_hash(files: Mapping[str, bytes]) -> str:
    """Return a SHA-256 of names and contents; equal sites have equal hashes."""
    digest = hashlib.sha256()
    for name, raw in sorted(files.items()):
        digest.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(raw).digest())
    return digest.hexdigest()


def _is_counted(name: str) -> bool:
    return not name.startswith(".") and name.lower() not in UNCOUNTED


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _lines(raw: bytes) -> int:
    try:
        return len(raw.decode("utf-8").splitlines())
    except UnicodeDecodeError:
        return LINES_OF_BINARY


#: The subsets, which are the languages that GitHub calls the main one of a repository.
LANGUAGES = ("css", "html", "javascript")
#: The largest repository, in kB as the search counts them.
MAX_REPOSITORY_KB = 100

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class GithubPagesSource:
    """Repositories whose name has "github.io", created within a window."""

    #: Interface of GitHub.
    api: GithubApi = field(default_factory=GithubApi)
    #: Whether only repositories are asked for whose licence permits to publish copies.
    redistributable: bool = False
    #: Tree hashes of sites that are copies of a template; see ``tree_hash``.
    templates: frozenset[str] = frozenset()
    #: Name of the source.
    name: str = "github-pages"
    #: Name of the task.
    task: str = "webpage"
    #: Languages.
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
        blocked = [
            policy_event.detail
            for policy_event in rendering.policy_events
            if policy_event.kind is PolicyKind.NETWORK
        ]
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
