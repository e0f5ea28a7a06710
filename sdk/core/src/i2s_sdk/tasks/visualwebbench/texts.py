"""The text in an answer: of a description, of an element, of a heading, of a question."""

from __future__ import annotations

import html
import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

from i2s_sdk.reading import fenced_blocks, unwrapped_answer
from i2s_wire.metrics.profile import Profile

_RELEASED_START, _RELEASED_END = '<meta name="description" content="', '">'
_META = re.compile(r"<meta\b([^<]*)", re.IGNORECASE)
_DESCRIPTION = re.compile(r"""\bname\s*=\s*(["']?)description\1""", re.IGNORECASE)
_CONTENT = re.compile(r"""\bcontent\s*=\s*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$))""", re.IGNORECASE)
_META_PREFIX = re.compile(r"\s*meta[ \t]+description[ \t]*:", re.IGNORECASE)
_ELEMENT_PREFIX = re.compile(
    r"the text content (?:with)?in the red (?:rectangle )?bounding box is:{0,2}",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(?=\S)", re.MULTILINE)
_INNER = re.compile(r"(?<=[0-9A-Za-zÀ-ɏ])[*_]+(?=[0-9A-Za-zÀ-ɏ])|[*_]{4,}")
#: What there is in every text that has emphasis, code or a backslash.
_CLOSING = re.compile(r"(?<=[^\s*_])[*_]|[`\\]")
#: Characters that Unicode keeps out of texts stand for marks that are text while emphasis is looked for.
_GUARDS = str.maketrans("*_", "\ufdd0\ufdd1")
_GUARDED = str.maketrans("\ufdd0\ufdd1", "*_")
_MARKDOWN = MarkdownIt("zero").enable(["emphasis", "backticks", "escape"]).disable("text_join")
#: Words that announce an answer, and a box of LaTeX around it.
_ANNOUNCED = re.compile(
    r"\s*(?:the |my )?(?:final |correct |short )?answer(?: is)?[ \t]*[:：]\s*(?=\S)", re.IGNORECASE
)
_BOXED = re.compile(r"\s*\$*\\boxed\{(?:\\text(?:bf)?\{)?(?P<text>[^{}]*)\}{1,2}\$*[.\s]*")
_QUOTES = ('""', "''", "“”", "‘’")


def read_description(answer: str, profile: Profile) -> str:
    """Return the description of a page in an answer.

    ``helm``: the content of the first ``<meta name="description" content="…">`` in exactly these characters,
    up to the last ``">`` of its line, else the whole answer as it is. ``paper``: the element in any order and
    quotes of its attributes, its character references resolved; else the answer without markup, the
    words "Meta Description:" and the white space and quotes around it.

    Args:
        answer: What the model said.
        profile: How it is read.
    """
    if profile is Profile.HELM:
        return _released_description(answer)
    for element in _META.finditer(answer):
        if _DESCRIPTION.search(element[1]):
            content = _CONTENT.search(answer, element.start())
            if content is None:
                break
            return html.unescape(content[1] if content[1] is not None else content[2]).strip()
    text = without_markup(answer)
    prefix = _META_PREFIX.match(text)
    return unquoted(text if prefix is None else text[prefix.end() :])


def _released_description(answer: str) -> str:
    """Return the content of the first line with such an element, up to its last end, else the answer."""
    for line in answer.split("\n"):
        start = line.find(_RELEASED_START)
        end = line.rfind(_RELEASED_END, start + len(_RELEASED_START)) if start >= 0 else -1
        if end >= 0:
            return line[start + len(_RELEASED_START) : end]
    return answer


def read_element_text(answer: str, profile: Profile) -> str:
    """Return the text of an element in an answer.

    ``helm``: what follows the first colon, wherever it stands, without white space, then double quotes, then
    single quotes around it; an answer without a colon is taken as it is. ``paper``: what follows the words
    that the prompt asks for; an answer without them is taken whole.

    Args:
        answer: What the model said.
        profile: How it is read.
    """
    if profile is Profile.HELM:
        _, colon, rest = answer.partition(":")
        return rest.strip().strip('"').strip("'") if colon else answer
    text = without_markup(answer)
    prefix = _ELEMENT_PREFIX.search(text)
    return unquoted(text if prefix is None else text[prefix.end() :])


def read_plain(answer: str, profile: Profile) -> str:
    r"""Return the heading or the answer to a question.

    ``helm``: verbatim. ``paper``: without markup, "Answer:" before it, ``\boxed{}`` or the JSON of one field
    around it, and without white space and quotes around it.

    Args:
        answer: What the model said.
        profile: How it is read.
    """
    if profile is Profile.HELM:
        return answer
    boxed = _BOXED.fullmatch(answer)
    if boxed:
        return unquoted(boxed["text"])
    text = without_markup(unwrapped_answer(answer))
    announced = _ANNOUNCED.match(text)
    return unquoted(text[announced.end() :] if announced else text)


def without_markup(answer: str) -> str:
    """Return the content of the last fenced block, else the answer without marks of Markdown."""
    blocks = fenced_blocks(answer)
    return blocks[-1].content if blocks else without_marks(answer)


def without_marks(text: str) -> str:
    """Return a text without marks of Markdown, in time proportional to its length.

    The marks are those of emphasis, of code in a line and of headings, and backslashes before such marks. A
    star between letters or digits, or one that CommonMark takes for text, stays: "5*3*2", "5 * 3", "Name *".
    """
    guarded = _INNER.sub(lambda marks: marks[0].translate(_GUARDS), _HEADING.sub("", text))
    if _CLOSING.search(guarded) is None:
        return guarded.translate(_GUARDED)
    pieces = [piece for line in _MARKDOWN.parseInline(guarded) for piece in line.children or ()]
    return "".join(map(_text, pieces)).translate(_GUARDED)


def _text(piece: Token) -> str:
    """Return the text of a part of a paragraph; a backslash stays unless it is before a mark of emphasis."""
    if piece.type == "hardbreak":
        return "\\\n"
    return piece.markup if piece.type == "text_special" and piece.content not in "*_`#" else piece.content


def unquoted(text: str) -> str:
    """Return a text without white space around it, and without one pair of quotes around the rest."""
    text = text.strip()
    inner = text[1:-1]
    if len(text) > 1 and text[0] + text[-1] in _QUOTES and text[0] not in inner and text[-1] not in inner:
        return inner.strip()
    return text
