"""Fenced blocks of code of an answer, after CommonMark; fences in the middle of a line too.

Models write ``Here it is: ```latex``, ``…]``` `` at the end of the last line of code, ``` ```latex x``` ```
on one line, and code right behind the language. CommonMark takes none of these for a fence; here a fence may
open or close in the middle of a line, and code may follow the language on the line that opens.

Source: CommonMark 0.31, section 4.5 (fenced code blocks), by markdown-it-py.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

#: Languages that are known as such even if code follows them on the line.
LANGUAGES = frozenset(
    {"latex", "tex", "tikz", "pdflatex", "python", "py", "python3", "html", "htm", "json", "css"}
    | {"javascript", "js", "lilypond", "ly", "markdown", "md"}
)

#: The most fences of a line that are read; a line of more is not code.
_MOST_FENCES = 100
_RUN = re.compile(r"`{3,}|~{3,}")
_CONTAINER = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*\Z")
_BARE_RUN = re.compile(r"[\s>]*(?P<run>`{3,}|~{3,})\s*\Z")
_RUN_WITH_INFO = re.compile(r"[\s>]*(?P<run>`{3,}|~{3,})(?P<info>[ \t]*\{?\.?[A-Za-z][^`]*)\Z")
_ENDS_WITH_RUN = re.compile(r"(?P<run>`{3,}|~{3,})[ \t]*\Z")
_BEGINS_WITH_RUN = re.compile(r"[ \t]*(?P<run>`{3,}|~{3,})(?P<rest>[ \t]+\S.*)\Z")
_CODE = re.compile(r"[ \t]*(?P<word>[A-Za-z][\w+#-]*)?[ \t]*(?=\\|\$|\[\{|\{\"|<!|<html)")
_INFO = re.compile(r"(?:\{[^{}]*\}|(?:[^\s{}]*[\w+#])?(?:[ \t]+[^\s=.]+[=.]\S*[\w\"'])?)[ \t]*\Z")
_WORDS = re.compile(r"[\s\w,.…]*\Z")
_LANGUAGE_WORD = re.compile(r"[ \t]*(?P<word>[A-Za-z][\w+#-]*)[ \t]+(?=\S)")


def with_line_feeds(text: str) -> str:
    """Return a text whose lines all end with line feeds, as the parser of Markdown ends them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def with_fences_on_lines(text: str) -> str:
    """Return an answer with each fence on a line of its own; other lines are as they were."""
    return "\n".join(_FencedLines(text.split("\n")).rewritten())


@dataclass(frozen=True, slots=True)
class _Fence:
    character: str
    length: int

    @classmethod
    def of(cls, run: str) -> _Fence:
        return cls(run[0], len(run))

    def ends_with(self, run: str) -> bool:
        return run[0] == self.character and len(run) >= self.length


class _FencedLines:
    """The lines of an answer, with the places of fences that stand alone or open a block."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._closing: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self._opening: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, line in enumerate(lines):
            bare = _BARE_RUN.match(line)
            if bare:
                self._closing[bare["run"][0]].append((number, len(bare["run"])))
            elif opening := _RUN_WITH_INFO.match(line):
                self._opening[opening["run"][0]].append((number, len(opening["run"])))

    def rewritten(self) -> Iterator[str]:
        fence: _Fence | None = None
        for number, line in enumerate(self._lines):
            rest = line
            if fence is not None:
                parts, fence, rest = self._inside(line, fence, number)
                yield from parts
                if fence is not None or not rest:
                    continue
            parts, fence = self._outside(rest, number)
            yield from parts

    def _inside(self, line: str, fence: _Fence, number: int) -> tuple[list[str], _Fence | None, str]:
        """Return the lines that a line of a block becomes, the fence open behind it, and text after that."""
        bare = _BARE_RUN.match(line)
        if bare:
            return [line], None if fence.ends_with(bare["run"]) else fence, ""
        if fence.character not in line:
            return [line], fence, ""
        ending = _ENDS_WITH_RUN.search(line)
        beginning = _BEGINS_WITH_RUN.match(line)
        run = ending["run"] if ending else beginning["run"] if beginning else ""
        if not run or not fence.ends_with(run) or self._closes_later(fence, number):
            return [line], fence, ""
        if ending:
            return [line[: ending.start()], run], None, ""
        assert beginning is not None
        return [run], None, beginning["rest"]

    def _closes_later(self, fence: _Fence, number: int) -> bool:
        """Return whether a closing fence on a line of its own comes before another block opens."""
        closing = _first(self._closing[fence.character], number, fence.length)
        opening = _first(self._opening[fence.character], number, fence.length)
        return closing is not None and (opening is None or closing < opening)

    def _outside(self, line: str, number: int) -> tuple[list[str], _Fence | None]:
        """Return the lines that a line outside of blocks becomes, and the fence that is open behind it."""
        runs = [(run.start(), run.end()) for run in _RUN.finditer(line)]
        if len(runs) > _MOST_FENCES:
            return [line], None
        parts: list[str] = []
        position = at = 0
        while at < len(runs):
            start, end = runs[at]
            run, before = line[start:end], line[position:start]
            alone = bool(_CONTAINER.match(before))
            if run[0] == "~":
                return [*parts, line[position:]], _Fence.of(run) if alone else None
            if at + 1 == len(runs) and "`" not in line[end:]:
                info, code = _info_and_code(line[end:])
                if not (alone or code) and self._is_mention(info, number):
                    break
                opened = [f"{before}{run}{info}"] if alone else [before, f"{run}{info}"]
                return [*parts, *opened, *([code] if code else [])], _Fence.of(run)
            closing = next(
                (other for other in range(at + 1, len(runs)) if line[slice(*runs[other])] == run), None
            )
            if closing is None:
                break
            info, code = _info_and_code(line[end : runs[closing][0]], one_line=True)
            if alone or not (_WORDS.match(code) and self._next_fence(number)):
                parts += [before, f"{run}{info}", code, run]
                position = runs[closing][1]
            at = closing + 1
        return [*parts, *([line[position:]] if position < len(line) or not parts else [])], None

    def _is_mention(self, info: str, number: int) -> bool:
        """Return whether a text only speaks of a fence that stands in the middle of a line.

        Behind it another block opens before one ends, or it ends a paragraph and no info string follows it.
        """
        if _is_info(info):
            fence = _RUN_WITH_INFO.match(self._next_fence(number))
            return fence is not None and _is_info(fence["info"])
        following = self._lines[number + 1 : number + 2]
        return not "".join(following).strip() or self._next_fence(number) in following

    def _next_fence(self, number: int) -> str:
        """Return the next line behind a line that begins with a fence of backticks; empty without one."""
        places = (_first(fences["`"], number, 3) for fences in (self._closing, self._opening))
        first = min((place for place in places if place is not None), default=None)
        return "" if first is None else self._lines[first]


def _first(places: list[tuple[int, int]], number: int, length: int) -> int | None:
    """Return the first line behind ``number`` whose run is as long; few lines are looked at."""
    at = bisect_left(places, (number + 1, 0))
    return next((line for line, size in places[at : at + 100] if size >= length), None)


def _info_and_code(rest: str, *, one_line: bool = False) -> tuple[str, str]:
    """Return the info string of an opening line, and the code that follows it there."""
    code = _CODE.match(rest)
    if code:
        return code["word"] or "", rest[code.end() :]
    if not one_line:
        return rest, ""
    word = _LANGUAGE_WORD.match(rest)
    if word and word["word"].lower() in LANGUAGES:
        return word["word"], rest[word.end() :]
    return "", rest


def _is_info(rest: str) -> bool:
    """Return whether what follows a fence in its line is an info string, and no text."""
    return rest.strip().lower() in LANGUAGES or _INFO.match(rest) is not None


_PARSER = MarkdownIt("commonmark")
_PARSER.core.ruler.enableOnly(["normalize", "block"])
_PARSER.block.ruler.enableOnly(["fence", "blockquote", "list", "paragraph"])

_WRAPPERS = frozenset({"markdown", "md", "text", "txt", "plaintext", ""})
_CLOSING = re.compile(r"[\s>]*(?P<run>`{3,}|~{3,})\s*\Z")
_INFO_WORD = re.compile(r"[\s{]*\.?(?P<word>[A-Za-z][\w+#-]*)")
_NAMED_FILE = re.compile(
    r"(?:file(?:_?name|path)?|title|name|path|src)\s*[=:]\s*[\"']?(?P<name>[^\"'\s{},]+)", re.I
)
_FILE_NAME = re.compile(
    r"(?<![\w/.@-])(?P<name>/?(?:[\w@.-]+/)*[\w@-][\w@.-]*\.[A-Za-z][A-Za-z0-9]{0,9})(?![\w/])"
)
_DEEPEST = 4
_LONGEST_INFO = 300


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block."""

    #: The info string: the rest of the opening line, of a longer one its beginning.
    info: str
    #: The text between the fences, without the indentation of a list or the marks of a quote.
    content: str
    #: Whether its closing fence is there.
    closed: bool = True
    #: The lines between the block before it and this one.
    before: str = ""

    @property
    def language(self) -> str:
        """The language that the info string names, in lower case; empty if it names none.

        Of a file name it is the suffix: "index.html" names "html".
        """
        word = _INFO_WORD.match(self.info)
        if word is None:
            return ""
        named = _FILE_NAME.match(self.info.strip())
        if named and named["name"].lower().startswith(word["word"].lower()):
            return named["name"].rpartition(".")[2].lower()
        return word["word"].lower()

    @property
    def file_name(self) -> str:
        """The file name in the info string; empty if there is none."""
        named = _NAMED_FILE.search(self.info) or _FILE_NAME.search(self.info)
        return named["name"] if named else ""

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing but white space."""
        return not self.content.strip()


def fenced_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of an answer that hold something, in order.

    A block of Markdown or plain text that itself holds blocks stands for these. An open fence is closed at
    the end of the text, so that an answer that was cut off is kept.

    Args:
        text: Answer without reasoning.
    """
    return tuple(_blocks(with_line_feeds(text), _DEEPEST))


def _blocks(text: str, depth: int) -> list[Block]:
    if "```" not in text and "~~~" not in text:
        return []
    lines = with_fences_on_lines(text)
    blocks: list[Block] = []
    end = 0
    split = lines.split("\n")
    for token in _PARSER.parse(lines):
        if token.type != "fence" or token.map is None:
            continue
        first, last = token.map
        block = Block(
            token.info.strip()[:_LONGEST_INFO],
            token.content,
            _is_closed(token, split),
            "\n".join(split[end:first]),
        )
        end = last
        if not block.is_empty:
            blocks += _inner(block, depth)
    return blocks


def _inner(block: Block, depth: int) -> list[Block]:
    inner = _blocks(block.content, depth - 1) if depth and block.language in _WRAPPERS else []
    if not inner:
        return [block]
    inner[0] = replace(inner[0], before=f"{block.before}\n{inner[0].before}")
    # The fence that closes the last of them closed the block around it, if both are of one length.
    return [*inner[:-1], replace(inner[-1], closed=inner[-1].closed or block.closed)]


def _is_closed(token: Token, lines: list[str]) -> bool:
    first, last = token.map or [0, 0]
    closing = _CLOSING.match(lines[last - 1]) if last - 1 > first else None
    run = closing["run"] if closing else ""
    return len(run) >= len(token.markup) and run[:1] == token.markup[:1]
