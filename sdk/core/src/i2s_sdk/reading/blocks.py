"""Fenced blocks of code of an answer, after CommonMark.

Source: CommonMark 0.31, section 4.5 (fenced code blocks), by markdown-it-py. Beyond it (fence_lines.py), a
fence may open or close in the middle of a line, and code may follow the language on the line that opens.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from i2s_sdk.reading.fence_lines import with_fences_on_lines

_PARSER = MarkdownIt("commonmark")
_PARSER.core.ruler.enableOnly(["normalize", "block"])
_PARSER.block.ruler.enableOnly(["fence", "blockquote", "list", "paragraph"])

_WRAPPERS = frozenset({"markdown", "md", "text", "txt", "plaintext", ""})
_CLOSING = re.compile(r"[\s>]*(?P<run>`{3,}|~{3,})\s*\Z")
_WORD = re.compile(r"[\s{]*\.?(?P<word>[A-Za-z][\w+#-]*)")
_NAMED_FILE = re.compile(
    r"(?:file(?:_?name|path)?|title|name|path|src)\s*[=:]\s*[\"']?(?P<name>[^\"'\s{},]+)", re.I
)
_FILE_NAME = re.compile(
    r"(?<![\w/.@-])(?P<name>/?(?:[\w@.-]+/)*[\w@-][\w@.-]*\.[A-Za-z][A-Za-z0-9]{0,9})(?![\w/])"
)
_MARKDOWN = re.compile(r"(?P<run>`{3,}|~{3,})[ \t]*(?:markdown|md)[ \t]*(?:\r?\n|\Z)", re.IGNORECASE)
#: One line that announces a document, and what may be said behind it.
_ANNOUNCEMENT = re.compile(
    r"[^\n`~#|]{0,300}\b(?:markdown|transcription|document|content|page)\b[^\n`~#|]{0,200}:[ \t*]*\r?\n\s*"
    r"(?=`{3}|~{3})",
    re.IGNORECASE,
)
_FAREWELL = re.compile(r"(?:^|\n)(?P<fence>(?:`{3,}|~{3,})[ \t]*)\r?\n\s*[^`~\n#|]{1,300}\Z")
_DEEPEST = 4
_LONGEST_INFO = 300


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Attributes:
        info: The info string: the rest of the opening line, of a longer one its beginning.
        content: The text between the fences, without the indentation of a list or the marks of a quote.
        closed: Whether its closing fence is there.
        before: The lines between the block before it and this one.
    """

    info: str
    content: str
    closed: bool = True
    before: str = ""

    @property
    def language(self) -> str:
        """The language that the info string names, in lower case; empty if it names none.

        Of a file name it is the suffix: "index.html" names "html".
        """
        word = _WORD.match(self.info)
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
    return tuple(_blocks(text, _DEEPEST))


def unwrapped_markdown(text: str) -> str:
    """Return a Markdown document without the fence that is around all of it, if that names Markdown.

    A line before it that announces it, and one behind it, are left out.

    Args:
        text: Answer without reasoning.
    """
    text = text.strip()
    announcement = _ANNOUNCEMENT.match(text)
    opening = _MARKDOWN.match(text, announcement.end() if announcement else 0)
    if opening is None:
        return text
    farewell = _FAREWELL.search(text, max(opening.end(), len(text) - 400)) if announcement else None
    text = text[: farewell.end("fence")] if farewell else text
    body = text[opening.end() :]
    last = body.rstrip().rpartition("\n")
    closing = _CLOSING.match(last[2])
    closes = closing is not None and closing["run"][0] == opening["run"][0]
    return (last[0] if closes else body).strip()


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
