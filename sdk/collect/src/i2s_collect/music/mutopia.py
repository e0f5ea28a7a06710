"""Scores of the Mutopia project, whose sources lie in one repository on GitHub, for the task ``music``."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from i2s_collect.candidates import Dropped, Fetched, Licence, Piece, Reason, SourceDocument, Window
from i2s_collect.github.api import GithubApi
from i2s_collect.github.repository import commit_of, is_commit, licence_of
from i2s_collect.music.lilypond_sources import cut_scores, local_includes, read_lilypond, score_fault
from i2s_collect.web.answer import SourceStoppedError, Web
from i2s_wire.render.rendering import Rendering

#: The repository and its default branch.
REPOSITORY, BRANCH = "MutopiaProject/MutopiaProject", "master"
#: The largest archive of the repository that is taken, the most that it unpacks to, and its most files.
MAX_ARCHIVE_BYTES, MAX_UNPACKED_BYTES, MAX_FILES = 1_000_000_000, 4_000_000_000, 200_000
#: The largest source that is read, in bytes.
MAX_SOURCE_BYTES = 1_000_000
#: The subset; these scores are old, so they are never in one subset with fresh ones.
SUBSET = "mutopia"

_SUFFIXES = (".ly", ".ily", ".lyi")
_FOOTER = re.compile(r"Mutopia-(\d{4})/(\d{1,2})/(\d{1,2})-(\d+)")
_NUMERIC = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_NAMED = re.compile(r"(\d{1,4})[-/. ]([A-Za-z]{3})[a-z]*[-/. ](\d{1,4})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CREATIVE_COMMONS = re.compile(
    r"(?:creative commons|cc)\W+(by-sa|by|attribution[- ]share\s?alike|attribution)\W+(\d\.\d)", re.IGNORECASE
)
_PUBLIC_DOMAIN = re.compile(r"public\s+domain", re.IGNORECASE)
_RESTRICTED = re.compile(r"non-?\s?commercial|no-?\s?deriv|\bby-n[cd]\b", re.IGNORECASE)


@dataclass(slots=True)
class MutopiaSource:
    """Files of the repository whose header names a date within the window.

    The repository is read once, as an archive at a commit; each of its ``.ly`` files is a document.
    """

    #: Interface of GitHub.
    api: GithubApi = field(default_factory=GithubApi)
    #: Name of the source.
    name: str = "mutopia"
    #: Name of the task.
    task: str = "music"
    #: The one subset.
    subsets: tuple[str, ...] = (SUBSET,)
    _sources: dict[str, dict[str, bytes]] = field(default_factory=dict, repr=False)

    def discover(self, window: Window, web: Web) -> Iterator[SourceDocument | Dropped]:
        """Yield every file with a date in the window, and those without a date as dropped."""
        commit = commit_of(REPOSITORY, BRANCH, web, self.api)
        if isinstance(commit, Dropped):
            raise SourceStoppedError(f"{REPOSITORY}: {commit.detail}; the source stops here")
        files = self._read(commit, web)
        for name in sorted(files):
            if name.endswith(".ly"):
                document = _document(name, files, commit)
                if isinstance(document, Dropped) or document.day in window:
                    yield document

    def fetch(self, document: SourceDocument, web: Web) -> Fetched | Dropped:
        """Return a file of the archive that was read before."""
        commit = document.version
        if not is_commit(commit):
            return Dropped(Reason.MALFORMED, "its version is no commit", document.key)
        content = self._read(commit, web).get(document.key)
        if content is None:
            return Dropped(Reason.GONE, "is not in the archive", document.key)
        return Fetched(content, commit, f"https://github.com/{REPOSITORY}/blob/{commit}/{document.key}")

    def cut(self, document: SourceDocument, content: bytes) -> Iterator[Piece | Dropped]:
        """Yield the scores of a file."""
        if missing := document.detail.get("includes"):
            detail = f"includes {str(missing[0])[:100]}"
            yield Dropped(Reason.INPUT_FILE, detail, document.key, SUBSET)
            return
        for piece in cut_scores(SUBSET, document.key, content):
            yield piece if isinstance(piece, Piece) else replace(piece, key=document.key)

    def rendering_fault(self, piece: Piece, rendering: Rendering) -> Dropped | None:
        """Return why a rendering is not a reference, or None."""
        return score_fault(piece, rendering)

    def _read(self, commit: str, web: Web) -> dict[str, bytes]:
        if commit not in self._sources:
            request = self.api.ask(f"/repos/{REPOSITORY}/tarball/{commit}", max_bytes=MAX_ARCHIVE_BYTES)
            try:
                self._sources = {commit: read_sources(web.get(request).body)}
            except ValueError as error:
                web.forget(request)
                raise SourceStoppedError(f"the archive of {REPOSITORY} {error}") from None
        return self._sources[commit]


def read_sources(archive: bytes) -> dict[str, bytes]:
    """Return the LilyPond files of a .tar.gz of a repository; others are skipped without being kept.

    Raises:
        ValueError: It is not such an archive, or unpacks to more than is taken.
    """
    contents: dict[str, bytes] = {}
    try:
        with (
            gzip.GzipFile(fileobj=io.BytesIO(archive)) as unpacked,
            tarfile.open(fileobj=unpacked, mode="r|") as members,
        ):
            for number, member in enumerate(members):
                if number > MAX_FILES or unpacked.tell() > MAX_UNPACKED_BYTES:
                    raise ValueError(f"holds more than {MAX_FILES} files or {MAX_UNPACKED_BYTES} bytes")
                name = member.name.partition("/")[2]
                wanted = member.isreg() and name.endswith(_SUFFIXES) and ".." not in name.split("/")
                if member.size > MAX_UNPACKED_BYTES:
                    raise ValueError(f"has a member of {member.size} bytes")
                if wanted and member.size <= MAX_SOURCE_BYTES and name.isprintable():
                    file = members.extractfile(member)
                    contents[name] = file.read() if file else b""
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise ValueError(f"is no .tar.gz: {error}") from None
    return contents


def licence_from(text: str) -> Licence:
    """Return the licence that a header names, as Mutopia writes it."""
    if _RESTRICTED.search(text):
        return Licence(text[:100])
    if found := _CREATIVE_COMMONS.search(text):
        share_alike = found[1].lower().endswith(("sa", "alike"))
        name = f"CC-BY-{'SA-' if share_alike else ''}{found[2]}"
        folder = "by-sa" if share_alike else "by"
        return Licence(name, f"https://creativecommons.org/licenses/{folder}/{found[2]}/", True)
    if "CC0" in text.upper():
        return licence_of("CC0-1.0")
    if _PUBLIC_DOMAIN.search(text):
        return Licence("Public Domain", "https://creativecommons.org/publicdomain/mark/1.0/", True)
    return Licence(text[:100])


def date_from(header: Mapping[str, str]) -> date | None:
    """Return the date of a header: that of its footer, which Mutopia sets, else of its last update."""
    if found := _FOOTER.search(header.get("footer", "")):
        return _date(found[1], found[2], found[3])
    updated = header.get("lastupdated", "")
    if found := _NUMERIC.search(updated):
        return _date(found[1], found[2], found[3])
    if (found := _NAMED.search(updated)) and found[2].lower() in _MONTHS:
        month = str(_MONTHS.index(found[2].lower()) + 1)
        return _date(found[1], month, found[3]) if len(found[1]) == 4 else _date(found[3], month, found[1])
    return None


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _document(name: str, files: Mapping[str, bytes], commit: str) -> SourceDocument | Dropped:
    text = files[name].decode("utf-8", "replace")
    source = read_lilypond(text)
    header = source.header
    day = date_from(header)
    if day is None:
        return Dropped(Reason.MALFORMED, "its header names no date", name)
    return SourceDocument(
        key=name,
        day=day,
        owner="",
        licence=licence_from(header.get("license") or header.get("copyright") or ""),
        title=(header.get("title") or header.get("mutopiatitle") or name)[:300],
        authors=tuple(one[:300] for one in (header.get("composer"), header.get("maintainer")) if one),
        url=f"https://github.com/{REPOSITORY}/blob/{commit}/{name}",
        detail={"includes": list(local_includes(name, source.includes, files))},
        version=commit,
    )
