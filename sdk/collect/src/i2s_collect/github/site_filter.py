"""Which repositories are small web sites: limits on their files.

Source: constants of the collector of Image2Struct (filters of files of web pages).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from i2s_collect.candidates import Dropped, Reason
from i2s_sdk.instances.site_files import INDEXES

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
    """What is counted of a site.

    Attributes:
        code_files: Number of files of code.
        code_lines: Their lines.
        style_lines: Lines of CSS.
        assets: Number of pictures and films.
    """

    code_files: int
    code_lines: int
    style_lines: int
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
