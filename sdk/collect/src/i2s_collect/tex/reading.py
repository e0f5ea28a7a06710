"""The reading of a paper from its roots on: files, loaded packages, environments that may be cut."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from i2s_collect.candidates import Dropped, Reason
from i2s_collect.tex.declarations import ARGUMENTS, Declaration, read_declaration
from i2s_collect.tex.environments import EQUATION, SUBSET_OF
from i2s_collect.tex.macros import DEFINITIONS, MAX_BRACKETED, Macro, MacroTable, Reading, read_definition
from i2s_collect.tex.scanner import Braces, Conditionals, Scanner, TexToken, TokenKind
from i2s_wire.render.source_error import Provider, ProviderKind

#: The longest file that is read, in bytes, and the most that are read of one paper.
MAX_FILE_BYTES, MAX_READ_BYTES = 4_000_000, 20_000_000
#: Suffixes of files that may be a root.
ROOT_SUFFIXES = frozenset({"", ".tex", ".ltx", ".latex"})

# Classes of files that are a part of another one, though they could stand alone.
_PART_CLASSES = frozenset({"subfiles", "standalone"})
_CLASS_WORDS = frozenset({"documentclass", "documentstyle"})


@dataclass(frozen=True, slots=True)
class Text:
    """A member as text."""

    #: Its name.
    member: str
    #: Its content without byte order mark. Lines end as they do in the file.
    text: str
    #: Encoding of the file.
    encoding: str
    #: Bytes before the text.
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

    A root has a ``\documentclass`` or ``\documentstyle`` that is not a comment.
    """
    roots: list[tuple[bool, bool, str]] = []
    for name, content in members.items():
        path = PurePosixPath(name)
        if path.suffix.lower() not in ROOT_SUFFIXES or not 0 < len(content) <= MAX_FILE_BYTES:
            continue
        if b"\\document" not in content:
            continue
        name_of_class = _class_of(read_text(name, content).text)
        if name_of_class is not None:
            roots.append((name_of_class in _PART_CLASSES, "/" in name, name))
    return [name for _, _, name in sorted(roots)]


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


#: Commands that load libraries.
LIBRARIES = {
    "usetikzlibrary": ProviderKind.TIKZ_LIBRARY,
    "usepgfplotslibrary": ProviderKind.PGFPLOTS_LIBRARY,
}
#: The most names that one command loads.
MAX_NAMES = 100

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,60}")
_OPTIONS = re.compile(r"[A-Za-z0-9 ,=.:/+_*-]{0,300}")


def load_lines(command: str, options: str, names: str) -> Iterator[tuple[Provider, str]]:
    r"""Yield what a command loads, each with a line that loads it alone.

    Packages with options that need more than words, numbers and signs are left out: their options may use
    macros of the paper.

    Args:
        command: Name of the command, such as "usepackage" or "usetikzlibrary".
        options: Text in its brackets; "" for none.
        names: Text in its braces.
    """
    kind = LIBRARIES.get(command, ProviderKind.PACKAGE)
    plain = " ".join(options.split())
    if _OPTIONS.fullmatch(plain) is None:
        return
    for name in names.split(",")[:MAX_NAMES]:
        if _NAME.fullmatch(name.strip()) is None:
            continue
        word = "usepackage" if kind is ProviderKind.PACKAGE else command
        bracket = f"[{plain}]" if plain and kind is ProviderKind.PACKAGE else ""
        yield Provider(kind, name.strip()), f"\\{word}{bracket}{{{name.strip()}}}"


#: The most files of a paper that are read.
MAX_FILES = 500
#: The most files that are open within one another.
MAX_OPEN_FILES = 20
#: The most environments of one subset within one another that are looked at.
MAX_NESTED = 3
#: The most environments of a paper that are looked at.
MAX_FOUND = 2_000

_INPUT = frozenset({"input", "include", "subfile", "InputIfFileExists"})
_IMPORT = frozenset({"import", "subimport", "inputfrom", "includefrom", "subinputfrom", "subincludefrom"})
_PACKAGES = {"usepackage": ".sty", "RequirePackage": ".sty", "documentclass": ".cls", "LoadClass": ".cls"}
_PLAIN_NAME = re.compile(r"[ \t]*([^\s{}\\%$]{1,200})")
_CATCODE = re.compile(r"\s*`?\\?([\\{}$%])\s*=?\s*(\d+|\\active|\\other)")
#: Category codes of LaTeX; a change to any other ends the reading of a file.
_CATEGORIES = {"\\": "0", "{": "1", "}": "2", "$": "3", "%": "14"}
_MATHS = frozenset({"$", "$$", "["})


@dataclass(frozen=True, slots=True)
class FoundEnvironment:
    """An environment, or a display without one."""

    #: Subset to which it belongs.
    subset: str
    #: Name of the environment; "[" and "$$" for displays.
    name: str
    #: Text of the file.
    text: Text
    #: Its first character in the file.
    start: int
    #: The character after its last.
    end: int
    #: Time of the macros when it began.
    time: int
    #: The last declaration that held when it began.
    declared: Declaration | None = None


@dataclass(slots=True)
class Paper:
    """The parts of a paper that were read."""

    #: Files with a document class.
    roots: tuple[str, ...] = ()
    #: Environments, in the order in which they end.
    found: list[FoundEnvironment] = field(default_factory=list)
    #: Macros of the paper, over time.
    macros: MacroTable = field(default_factory=MacroTable)
    #: Conditionals of the paper, as they are at its end.
    conditionals: Conditionals = field(default_factory=Conditionals)
    #: Files that were not read, or not to their end.
    faults: list[Dropped] = field(default_factory=list)
    #: Lines that load packages and libraries that are not files of the paper, by what they load.
    loads: dict[Provider, str] = field(default_factory=dict)
    #: Characters that were read so far to expand macros.
    read: int = 0


def read_paper(members: Mapping[str, bytes]) -> Paper:
    """Read a paper.

    Args:
        members: Its files by name.
    """
    reader = _Reader(members)
    for root in reader.paper.roots:
        reader.read(root)
    return reader.paper


@dataclass(slots=True)
class _Open:
    """A group, an environment or maths that has begun."""

    name: str  # "" is a group in braces, "$" maths, else an environment
    start: int
    time: int
    level: int  # how many environments of its subset are open around it
    declared: Declaration | None


@dataclass(slots=True)
class _File:
    """A file that is being read."""

    text: Text
    scanner: Scanner
    braces: Braces
    only_definitions: bool
    open: list[_Open] = field(default_factory=list)
    names: Counter[str] = field(default_factory=Counter)
    subsets: Counter[str] = field(default_factory=Counter)
    base: int = 0  # groups that were open when it began


class _Reader:
    """Reads files, an input within the file that names it."""

    def __init__(self, members: Mapping[str, bytes]) -> None:
        self._members = members
        self._seen: set[str] = set()
        self._bytes = 0
        self._files: list[_File] = []
        self._root = ""
        self._in_body = False
        self._declared: Declaration | None = None
        self.paper = Paper(tuple(find_roots(members)))

    def read(self, root: str) -> None:
        """Read a root and what it names."""
        self._root, self._in_body, self._declared = root, False, None
        self._begin(root)
        while self._files:
            file = self._files[-1]
            token = file.scanner.next()
            if token is None or not self._token(file, token):
                self._files.pop()
                self.paper.macros.leave(file.base)

    def _begin(self, member: str, *, only_definitions: bool = False) -> None:
        if member in self._seen or len(self._files) >= MAX_OPEN_FILES:
            return
        content = self._members[member]
        if len(content) > MAX_FILE_BYTES or self._bytes + len(content) > MAX_READ_BYTES:
            self.paper.faults.append(Dropped(Reason.TOO_LARGE, f"{member} has {len(content)} bytes"))
            return
        if len(self._seen) >= MAX_FILES:
            return
        self._seen.add(member)
        self._bytes += len(content)
        text = read_text(member, content)
        scanner = Scanner(text.text, self.paper.conditionals, at_letter=only_definitions)
        depth = self._depth()
        self._files.append(_File(text, scanner, Braces(text.text), only_definitions, base=depth))

    def _depth(self) -> int:
        return self._files[-1].base + len(self._files[-1].open) if self._files else 0

    def _token(self, file: _File, token: TexToken) -> bool:
        """Obey a token and return whether the file goes on."""
        match token.kind:
            case TokenKind.OPEN:
                self._push(file, "", token.start)
            case TokenKind.CLOSE:
                self._close_group(file)
            case TokenKind.DOLLAR:
                self._dollar(file, token)
            case TokenKind.PARAGRAPH:
                if file.open and file.open[-1].name == "$":
                    self._pop(file)
            case TokenKind.BEGIN:
                self._begin_environment(file, token)
            case TokenKind.END:
                if token.name == "document":
                    return False
                self._end_environment(file, token)
            case TokenKind.SYMBOL:
                self._symbol(file, token)
            case TokenKind.WORD:
                return self._word(file, token)
        return True

    def _push(self, file: _File, name: str, start: int) -> None:
        subset = _subset_of(name)
        level = file.subsets[subset] if subset else 0
        file.open.append(_Open(name, start, self.paper.macros.now, level, self._declared))
        if name:
            file.names[name] += 1
        if subset:
            file.subsets[subset] += 1

    def _pop(self, file: _File) -> _Open:
        environment = file.open.pop()
        self._declared = environment.declared
        if environment.name:
            file.names[environment.name] -= 1
            if subset := _subset_of(environment.name):
                file.subsets[subset] -= 1
        self.paper.macros.leave(file.base + len(file.open))
        return environment

    def _close_group(self, file: _File) -> None:
        while file.open and file.open[-1].name in _MATHS:
            self._pop(file)
        if file.open and not file.open[-1].name:
            self._pop(file)

    def _dollar(self, file: _File, token: TexToken) -> None:
        innermost = file.open[-1].name if file.open else ""
        double = file.text.text.startswith("$", token.end)
        if innermost == "$":
            self._pop(file)
        elif innermost == "$$":
            if double:
                file.scanner.position = token.end + 1
                self._close(file, "$$", token.end + 1)
        elif double and innermost != "[":
            file.scanner.position = token.end + 1
            self._push(file, "$$", token.start)
        else:
            self._push(file, "$", token.start)

    def _symbol(self, file: _File, token: TexToken) -> None:
        if token.name == "[":
            self._push(file, "[", token.start)
        elif token.name == "]" and file.names["["]:
            self._close(file, "[", token.end)
        elif found := self.paper.macros.get(token.name):
            self._own(file, token, found)

    def _begin_environment(self, file: _File, token: TexToken) -> None:
        if token.name == "document":
            self._in_body = True
        elif found := self.paper.macros.get(f"begin {token.name}"):
            if not found.is_opaque:
                for name in found.opens:
                    self._push(file, name, token.start)
            self._push(file, f"own {token.name}", token.start)
        else:
            self._push(file, token.name, token.start)

    def _end_environment(self, file: _File, token: TexToken) -> None:
        macro = self.paper.macros.get(f"end {token.name}")
        if macro is None:
            self._close(file, token.name, token.end)
            return
        self._close(file, f"own {token.name}", token.end)
        for name in macro.closes:
            self._close(file, name, token.end)

    def _close(self, file: _File, name: str, end: int) -> None:
        """End what has begun by a name; what was left open within it is forgotten."""
        if not file.names[name]:
            return
        while (one := self._pop(file)).name != name:
            pass
        subset = _subset_of(name)
        wanted = self._in_body and not file.only_definitions and one.level < MAX_NESTED
        if subset and wanted and len(self.paper.found) < MAX_FOUND:
            self.paper.found.append(
                FoundEnvironment(subset, name, file.text, one.start, end, one.time, one.declared)
            )

    def _own(self, file: _File, token: TexToken, macro: Macro) -> None:
        """Follow a macro of the paper that begins or ends environments."""
        for name in macro.closes:
            self._close(file, name, token.end)
        for name in macro.opens:
            self._push(file, name, token.start)

    def _word(self, file: _File, token: TexToken) -> bool:
        name = token.name
        if name in DEFINITIONS:
            self._define(file, token)
        elif name in ARGUMENTS:
            self._declare(file, token)
        elif name == "endinput":
            return False
        elif name == "newif":
            self._new_conditional(file, token)
        elif name in LIBRARIES:
            self._load(file, token)
        elif name in _INPUT or name in _IMPORT or name in _PACKAGES:
            self._input(file, token)
        elif name == "catcode":
            return self._catcode(file, token)
        elif found := self.paper.macros.get(name):
            self._own(file, token, found)
        else:
            self.paper.conditionals.assign(name)
        return True

    def _define(self, file: _File, token: TexToken) -> None:
        reading = Reading(file.text.text, file.braces, self.paper.macros, self._depth())
        end = read_definition(token.name, token.end, reading)
        if end is not None:
            file.scanner.position = max(end, file.scanner.position)

    def _declare(self, file: _File, token: TexToken) -> None:
        reading = Reading(file.text.text, file.braces, self.paper.macros, 0)
        declaration = read_declaration(token.name, token.end, token.start, reading, self._declared)
        if declaration is not None:
            self._declared, file.scanner.position = declaration[0], max(declaration[1], file.scanner.position)

    def _new_conditional(self, file: _File, token: TexToken) -> None:
        reading = Reading(file.text.text, file.braces, self.paper.macros, 0)
        if found := reading.command(token.end):
            self.paper.conditionals.declare(found[0])
            file.scanner.position = found[1]

    def _input(self, file: _File, token: TexToken) -> None:
        reading = Reading(file.text.text, file.braces, self.paper.macros, 0)
        position = token.end
        if token.name in _PACKAGES and file.text.text.startswith("[", position):
            # Braces within options are rare, and a search for the bracket alone is fast.
            position = file.text.text.find("]", position, position + MAX_BRACKETED) + 1 or position
        group = reading.group(position)
        if group is None:
            plain = _PLAIN_NAME.match(file.text.text, position) if token.name == "input" else None
            if plain is None:
                return
            group = plain[1], plain.end()
        names, file.scanner.position = group
        folders = tuple(dict.fromkeys((folder_of(self._root), folder_of(file.text.member), "")))
        if token.name in _IMPORT:
            second = reading.group(group[1])
            if second is None:
                return
            names, file.scanner.position = f"{group[0].strip()}/{second[0].strip()}", second[1]
        if suffix := _PACKAGES.get(token.name):
            if suffix == ".sty":
                self._load(file, token)
            for one in reversed(names.split(",")[:MAX_FILES]):
                if member := resolve(one, folders, self._members, (suffix,)):
                    self._begin(member, only_definitions=True)
        elif member := resolve(names, folders, self._members, (".tex", "", ".ltx", ".tikz")):
            self._begin(member, only_definitions=file.only_definitions)

    def _load(self, file: _File, token: TexToken) -> None:
        """Note what a command loads; the first line for each counts."""
        reading = Reading(file.text.text, file.braces, self.paper.macros, 0)
        option = reading.bracket(token.end)
        group = reading.group(option[1] if option else token.end)
        for provider, line in load_lines(token.name, option[0] if option else "", group[0] if group else ""):
            self.paper.loads.setdefault(provider, line)

    def _catcode(self, file: _File, token: TexToken) -> bool:
        """Return whether the file can be read on after a category code changes."""
        match = _CATCODE.match(file.text.text, token.end)
        if match is None or file.only_definitions or _CATEGORIES[match[1]] == match[2]:
            return True
        detail = f"{file.text.member} changes the category code of {match[1]}"
        self.paper.faults.append(Dropped(Reason.CATEGORY_CODES, detail))
        return False


def _subset_of(name: str) -> str | None:
    return EQUATION if name in ("[", "$$") else SUBSET_OF.get(name)
