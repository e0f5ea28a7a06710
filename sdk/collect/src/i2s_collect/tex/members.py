"""The files of a paper: their text, its roots, and which file a name in the source means."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from i2s_collect.tex.scanner import Scanner, TokenKind

#: The longest file that is read, in bytes, and the most that are read of one paper.
MAX_FILE_BYTES, MAX_READ_BYTES = 4_000_000, 20_000_000
#: Suffixes of files that may be a root.
ROOT_SUFFIXES = frozenset({"", ".tex", ".ltx", ".latex"})

# Classes of files that are a part of another one, though they could stand alone.
_PART_CLASSES = frozenset({"subfiles", "standalone"})
_CLASS_WORDS = frozenset({"documentclass", "documentstyle"})


@dataclass(frozen=True, slots=True)
class Text:
    """A member as text.

    Attributes:
        member: Its name.
        text: Its content without byte order mark. Lines end as they do in the file.
        encoding: Encoding of the file.
        offset: Bytes before the text.
    """

    member: str
    text: str
    encoding: str
    offset: int

    def byte(self, characters: int, known: tuple[int, int] = (0, 0)) -> int:
        """Return the byte at which a character of the text begins.

        Args:
            characters: Position in the text.
            known: A position before it and its byte, so that only the text between is counted.
        """
        if self.encoding == "latin-1":
            return self.offset + characters
        start, byte = known if known[0] or known[1] else (0, self.offset)
        return byte + len(self.text[start:characters].encode("utf-8"))


def read_text(member: str, content: bytes) -> Text:
    """Return a member as text: UTF-8, or Latin-1 if it is not."""
    offset = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
    try:
        return Text(member, content[offset:].decode("utf-8"), "utf-8", offset)
    except UnicodeDecodeError:
        return Text(member, content.decode("latin-1"), "latin-1", 0)


def find_roots(members: Mapping[str, bytes]) -> list[str]:
    r"""Return the members that are documents of their own, those that may be a part of another one last.

    A root has a ``\documentclass`` or ``\documentstyle`` that is no comment.
    """
    found: list[tuple[bool, bool, str]] = []
    for name, content in members.items():
        path = PurePosixPath(name)
        if path.suffix.lower() not in ROOT_SUFFIXES or not 0 < len(content) <= MAX_FILE_BYTES:
            continue
        if b"\\document" not in content:
            continue
        name_of_class = _class_of(read_text(name, content).text)
        if name_of_class is not None:
            found.append((name_of_class in _PART_CLASSES, "/" in name, name))
    return [name for _, _, name in sorted(found)]


def _class_of(text: str) -> str | None:
    """Return the class of a document, "" if it cannot be read, None if there is none."""
    scanner = Scanner(text)
    while token := scanner.next():
        if token.kind is TokenKind.BEGIN and token.name == "document":
            return None
        if token.kind is TokenKind.WORD and token.name in _CLASS_WORDS:
            opening = text.find("{", token.end, token.end + 2_000)
            closing = text.find("}", opening, opening + 200) if opening >= 0 else -1
            return text[opening + 1 : closing].strip() if closing >= 0 else ""
    return None


def resolve(
    name: str, folders: tuple[str, ...], members: Mapping[str, bytes], suffixes: tuple[str, ...]
) -> str:
    """Return which member a name in the source means, or nothing.

    Args:
        name: Name as it stands in the source.
        folders: Folders in which it is looked for, in their order; "" is that of the archive.
        members: Members of the paper.
        suffixes: Suffixes that are tried in their order; "" is the name as it is.
    """
    wanted = name.strip().strip('"')
    if not wanted or wanted.startswith("/") or len(wanted) > 300:
        return ""
    for folder in folders:
        for suffix in suffixes:
            path = _joined(folder, wanted + suffix)
            if path in members:
                return path
    return ""


def _joined(folder: str, name: str) -> str:
    parts: list[str] = []
    for part in (*folder.split("/"), *name.split("/")):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def folder_of(member: str) -> str:
    """Return the folder of a member; "" for that of the archive."""
    return member.rpartition("/")[0]
