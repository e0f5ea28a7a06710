"""A site whose files stand in blocks of their own, one file a block.

The name of a file is, in this order: that in the info string of its block; the one in the line before the
block; the one in the comment that the file begins with; the one by which the page refers to it; the usual
name of its language.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from i2s_sdk.reading import Block
from i2s_sdk.tasks.repair import Repair, RepairKind
from i2s_sdk.tasks.structure import Choice, Origin
from i2s_sdk.tasks.webpage.site import SiteStructure, site_structure

INDEX = "index.html"

HTML = frozenset({"html", "htm", "xhtml", "html5"})
_STYLE = frozenset({"css"})
_SCRIPT = frozenset({"javascript", "js", "mjs", "jsx"})
#: Suffixes of files of a site that a name in the text around a block can have.
_SUFFIXES = "html?|xhtml|css|scss|sass|m?js|json|ya?ml|md|markdown|svg|xml|txt|liquid"
_NAME = re.compile(
    rf"(?<![\w/.:-])(?P<name>(?:[\w@.-]+/)*[\w@-][\w@.-]*\.(?:{_SUFFIXES}))(?![\w/-])", re.IGNORECASE
)
_COMMENT = re.compile(
    r"\s*(?:<!--(?P<html>[^\n]*?)-->|/\*(?P<css>[^\n]*?)\*/|//(?P<js>[^\n]*)|#(?P<yaml>[^\n]*))"
)
_STYLE_LINK = re.compile(r"<link\b[^>]{0,500}?\bhref\s*=\s*[\"']?(?P<name>[^\"'\s>]+\.css)\b", re.IGNORECASE)
_SCRIPT_LINK = re.compile(
    r"<script\b[^>]{0,500}?\bsrc\s*=\s*[\"']?(?P<name>[^\"'\s>]+\.m?js)\b", re.IGNORECASE
)
_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_ELEMENT = re.compile(r"\s*<[!A-Za-z]")
_LONGEST_LABEL = 160


def blocks_site(blocks: Sequence[Block]) -> SiteStructure | None:
    """Return the site that the blocks of an answer are; None if none of them is a page.

    Of several blocks with one name, the last complete one counts. A block of another language is a file only
    if it is named as one.

    Args:
        blocks: Blocks in order.
    """
    pages = [number for number, block in enumerate(blocks) if _is_page(block)]
    if not pages:
        return None
    names = {number: name for number, block in enumerate(blocks) if (name := _own_name(block))}
    index = _index_page(blocks, [number for number in pages if number not in names])
    if index is not None:
        names[index] = INDEX if INDEX not in names.values() else ""
    names |= _names_by_links(blocks, names)
    chosen: dict[str, int] = {}
    for number, name in sorted(names.items()):
        if name and (name not in chosen or blocks[number].closed):
            chosen[name] = number
    taken = sorted(chosen.values())
    if not any(number in pages for number in taken):
        return None
    files = {names[number]: blocks[number].content.strip() for number in taken}
    if INDEX not in files and len(only := [number for number in taken if number in pages]) == 1:
        files = {INDEX if name == names[only[0]] else name: content for name, content in files.items()}
    closed = all(blocks[number].closed for number in taken)
    choice = Choice.among(len(blocks), tuple(number + 1 for number in taken))
    return site_structure(files, Origin.FENCE if closed else Origin.UNCLOSED_FENCE, (_repair(files),), choice)


def _repair(files: Mapping[str, str]) -> Repair:
    if list(files) == [INDEX]:
        return Repair(RepairKind.HTML_AS_INDEX, INDEX, "the answer is an HTML document and no list of files")
    return Repair(
        RepairKind.JOIN_BLOCKS, ", ".join(files), "the answer is several blocks and no list of files"
    )


def _is_page(block: Block) -> bool:
    if block.language in HTML:
        return True
    return not block.language and bool(_ELEMENT.match(block.content))


def _is_whole(block: Block) -> bool:
    """Return whether a page is a whole document, behind comments and front matter."""
    content = block.content.lstrip()
    while content.startswith("<!--"):
        content = content.partition("-->")[2].lstrip()
    return content.startswith("---\n") or bool(_PAGE.match(content))


def _own_name(block: Block) -> str:
    """Return the name that a block or the text around it gives to its file; empty for none."""
    if block.file_name and _NAME.fullmatch(block.file_name):
        return block.file_name
    lines = [line for line in block.before.splitlines() if line.strip()]
    comment = _COMMENT.match(block.content)
    texts = [
        lines[-1] if lines else "",
        next((text for text in comment.groups() if text), "") if comment else "",
    ]
    for text in texts:
        names = {match["name"] for match in _NAME.finditer(text[:_LONGEST_LABEL])}
        if len(names) == 1 and len(text) <= _LONGEST_LABEL and _fits(block, *names):
            return names.pop()
    return ""


def _fits(block: Block, name: str) -> bool:
    """Return whether a file of this name can be in the language of a block."""
    suffix = name.rpartition(".")[2].lower()
    for language in (HTML, _STYLE, _SCRIPT):
        if block.language in language or suffix in language:
            return suffix in language and (block.language in language or not block.language)
    return True


def _index_page(blocks: Sequence[Block], unnamed: Sequence[int]) -> int | None:
    """Return the last page without a name: of complete ones, and of whole documents, if there are such."""
    for candidates in (
        [number for number in unnamed if blocks[number].closed and _is_whole(blocks[number])],
        [number for number in unnamed if _is_whole(blocks[number])],
        [number for number in unnamed if blocks[number].closed],
        unnamed,
    ):
        if candidates:
            return candidates[-1]
    return None


def _names_by_links(blocks: Sequence[Block], names: Mapping[int, str]) -> dict[int, str]:
    """Return names for style sheets and scripts without one: those in links of pages, else the usual ones."""
    pages = [
        blocks[number].content for number, name in names.items() if name.rpartition(".")[2].lower() in HTML
    ]
    found: dict[int, str] = {}
    for language, link, usual in ((_STYLE, _STYLE_LINK, "style.css"), (_SCRIPT, _SCRIPT_LINK, "script.js")):
        linked = [
            match["name"] for page in pages for match in link.finditer(page) if "//" not in match["name"]
        ]
        free = _free([*linked, usual], set(names.values()))
        last = ""
        for number, block in enumerate(blocks):
            if block.language in language and number not in names:
                found[number] = last = next(free, last)
    return found


def _free(names: Sequence[str], taken: Collection[str]) -> Iterator[str]:
    return iter([name for name in dict.fromkeys(names) if name not in taken])
