"""How profile ``paper`` reads the files of a site in an answer.

In this order: lists of files as JSON (fenced or not, whole or cut off) and objects of name to content; files
in blocks of their own; a bare HTML document, or elements of one. What had to be mended is recorded.

The name of a file in a block of its own is, in this order: that in the info string of its block; the one in
the line before the block; the one in the comment that the file begins with; the one by which the page refers
to it; the usual name of its language.

Source: Image2Struct, appendix on post-processing; objects, blocks and bare documents are what models answer
instead.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from i2s_sdk.reading import Block, fenced_blocks, unwrapped_answer
from i2s_sdk.reading.json_values import JsonValues, json_values
from i2s_sdk.tasks.repair import Repair, RepairKind
from i2s_sdk.tasks.structure import BlockChoice, NoStructure, Origin
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
_ELEMENT_START = re.compile(r"\s*<[!A-Za-z]")
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
    choice = BlockChoice.among(len(blocks), tuple(number + 1 for number in taken))
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
    return not block.language and bool(_ELEMENT_START.match(block.content))


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
    found_names: dict[int, str] = {}
    for language, link, usual in ((_STYLE, _STYLE_LINK, "style.css"), (_SCRIPT, _SCRIPT_LINK, "script.js")):
        linked = [
            match["name"] for page in pages for match in link.finditer(page) if "//" not in match["name"]
        ]
        free = _free([*linked, usual], set(names.values()))
        last = ""
        for number, block in enumerate(blocks):
            if block.language in language and number not in names:
                found_names[number] = last = next(free, last)
    return found_names


def _free(names: Sequence[str], taken: Collection[str]) -> Iterator[str]:
    return iter([name for name in dict.fromkeys(names) if name not in taken])


_NAMES, _CONTENTS = ("filename", "file_name", "path", "name", "file"), ("content", "contents", "code")
_LIST = re.compile(r"\[?\s*\{\s*[\"'](?:filename|file_name|path|content|files)[\"']\s*:")
_FILE_NAME = re.compile(r"\.[A-Za-z]\w{0,9}\Z")
_DOCUMENT = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
#: An element of a page that begins a line, where the answer has no whole document.
_ELEMENT = re.compile(
    r"^[ \t]*<(?P<name>head|body|header|main|nav|section|article|div|form|table|style|center|h1)"
    r"(?:\s[^<>]{0,500})?>",
    re.IGNORECASE | re.MULTILINE,
)
_DOCUMENT_END = re.compile(r"</html\s*>", re.IGNORECASE)
#: The most places of an answer without fences where a list may begin.
_MOST_PLACES = 64


@dataclass(frozen=True, slots=True)
class _Listed:
    """The files that JSON at one place lists."""

    #: Files by name; empty if it lists none.
    files: dict[str, str] = field(default_factory=dict)
    #: Why it lists none.
    fault: str = ""
    #: Where it stands.
    origin: Origin = Origin.BARE
    #: What was mended in it.
    repairs: tuple[Repair, ...] = ()
    #: Number of its block from 1; 0 outside of blocks.
    block: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing of it was cut off."""
        return all(repair.kind is not RepairKind.SALVAGE_JSON for repair in self.repairs)


def find_files(text: str) -> SiteStructure | NoStructure:
    """Return the files of an answer, or why there are none.

    Args:
        text: Answer without reasoning.
    """
    text = unwrapped_answer(text, HTML, _is_listing).strip()
    if not text:
        return NoStructure("the completion is empty")
    bare = _bare_document(text)
    blocks = () if bare and bare[0] == 0 else fenced_blocks(text)
    listed = list(_listed(text, blocks, bare))
    of_lists = _joined([one for one in listed if one.files], len(blocks))
    if of_lists is not None:
        return of_lists
    if blocks and (site := blocks_site(blocks)) is not None:
        return site
    if bare is not None:
        return _html_structure(bare[1])
    faults = [one.fault for one in listed if one.fault]
    return NoStructure(
        faults[-1] if faults else "the completion has neither a JSON list of files nor an HTML document"
    )


def _listed(text: str, blocks: tuple[Block, ...], bare: tuple[int, str] | None) -> Iterator[_Listed]:
    """Yield the lists of files of an answer: those in blocks, else those outside of blocks."""
    has_pages = any(block.language in HTML for block in blocks)
    in_blocks = 0
    for number, block in enumerate(blocks, start=1):
        content = block.content.lstrip()
        if content[:1] in ("[", "{") and (not has_pages or _LIST.match(content)):
            origin = Origin.FENCE if block.closed else Origin.UNCLOSED_FENCE
            in_blocks += 1
            yield _read(json_values(content, _is_listing), origin, number)
    if in_blocks or (bare is not None and bare[0] == 0):
        return
    if text[0] in "[{":
        yield _read(json_values(text, _is_listing), Origin.BARE)
        return
    position = 0
    for _ in range(_MOST_PLACES):
        place = _LIST.search(text, position)
        if place is None or (bare is not None and bare[0] < place.start()):
            return
        values = json_values(text[place.start() :], _is_listing)
        yield _read(values, Origin.BARE)
        position = max(place.end(), place.start() + values.end)


def _read(values: JsonValues, origin: Origin, block: int = 0) -> _Listed:
    if not values.values:
        return _Listed(fault=f"the list of files is not JSON: {values.fault}", origin=origin, block=block)
    repairs: list[Repair] = []
    if values.mends:
        repairs.append(Repair(RepairKind.MEND_JSON, ", ".join(values.mends), "the list of files is not JSON"))
    if values.cut:
        repairs.append(Repair(RepairKind.SALVAGE_JSON, values.cut, values.fault))
    files: dict[str, str] = {}
    for value in values.values:
        own = _files(value)
        if isinstance(own, str):
            return _Listed(files, "" if files else own, origin, tuple(repairs), block)
        files |= own
    return _Listed(files, "", origin, tuple(repairs), block)


def _is_listing(value: object) -> bool:
    return not isinstance(_files(value), str)


def _files(value: object) -> dict[str, str] | str:
    """Return the files that a JSON value lists, or why it lists none."""
    single = _file(value)
    if single is not None:
        return dict([single])
    match value:
        case {"files": list() | dict() as inner} if isinstance(value, dict) and len(value) == 1:
            return _files(inner)
        case dict():
            if not any(_FILE_NAME.search(name) for name in value):
                return "the JSON is neither a list of files nor an object of name to content"
            listed: list[object] = [{"filename": name, "content": content} for name, content in value.items()]
        case list():
            listed = value
        case _:
            return "the JSON is neither a list of files nor an object of name to content"
    files: dict[str, str] = {}
    for number, item in enumerate(listed, start=1):
        own = _file(item)
        if own is None:
            return f"file {number} of the list is not an object of filename and content"
        files |= [own]
    return files or "the list of files is empty"


def _file(value: object) -> tuple[str, str] | None:
    """Return name and content of the file that an object is; None if it is none."""
    if not isinstance(value, dict):
        return None
    name = next((value[key] for key in _NAMES if key in value), None)
    content = next((value[key] for key in _CONTENTS if key in value), None)
    return (name, content) if isinstance(name, str) and isinstance(content, str) else None


def _joined(listed: list[_Listed], blocks: int) -> SiteStructure | None:
    """Return the site of the last complete list, with the files of lists that have none of its names.

    A list that has a name in common with it is a draft of it.
    """
    last_first = [*reversed([one for one in listed if one.is_whole])]
    last_first += reversed([one for one in listed if not one.is_whole])
    taken: list[_Listed] = []
    for candidate in last_first:
        if all(candidate.files.keys().isdisjoint(other.files) for other in taken):
            taken.append(candidate)
    if not taken:
        return None
    taken = [one for one in listed if one in taken]
    files = {name: content for one in taken for name, content in one.files.items()}
    repairs = tuple(repair for one in taken for repair in one.repairs)
    if len(taken) > 1:
        repairs = (
            *repairs,
            Repair(RepairKind.JOIN_BLOCKS, ", ".join(files), "the answer has several lists of files"),
        )
    choice = BlockChoice.among(blocks, tuple(one.block for one in taken if one.block))
    return site_structure(files, taken[-1].origin, repairs, choice)


def _bare_document(text: str) -> tuple[int, str] | None:
    """Return where an HTML document outside of fences begins, and its text up to its end tag."""
    document = _DOCUMENT.search(text)
    if document is None:
        return _bare_elements(text)
    code = text[document.start() :]
    ends = list(_DOCUMENT_END.finditer(code))
    return document.start(), code[: ends[-1].end()] if ends else code.partition("\n```")[0].strip()


def _bare_elements(text: str) -> tuple[int, str] | None:
    """Return where elements of a page outside of fences begin, and their text up to the last tag."""
    first = None if "```" in text else _ELEMENT.search(text)
    end = text.rfind(">") + 1
    if first is None or f"</{first['name']}>".lower() not in text[first.end() : end].lower():
        return None
    return first.start(), text[first.start() : end].strip()


def _html_structure(code: str) -> SiteStructure:
    repair = Repair(RepairKind.HTML_AS_INDEX, INDEX, "the answer is an HTML document and no list of files")
    return site_structure({INDEX: code}, Origin.BARE, (repair,))
