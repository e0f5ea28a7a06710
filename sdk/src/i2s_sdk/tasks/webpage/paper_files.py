"""How profile ``paper`` finds the files of a site in a completion.

In this order: a list of files as JSON (fenced or not, whole or cut off), an object of name to content, a bare
HTML document. What had to be mended is recorded.

Source: Image2Struct, appendix on post-processing; object and bare document are what models answer instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from i2s_sdk.tasks.fences import FencedBlock, fenced_blocks, longest_block
from i2s_sdk.tasks.repair import Repair, RepairKind
from i2s_sdk.tasks.structure import NoStructure, Origin
from i2s_sdk.tasks.webpage.salvage import closings
from i2s_sdk.tasks.webpage.site import SiteStructure, site_structure

INDEX = "index.html"

_JSON = frozenset({"json", "jsonc", "json5"})
_HTML = frozenset({"html", "htm", "xhtml", "html5"})
_LIST = re.compile(r"\[\s*\{\s*\"(?:filename|content)\"")
_DOCUMENT = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_DOCUMENT_END = re.compile(r"</html\s*>", re.IGNORECASE)

_STRICT, _LENIENT = json.JSONDecoder(), json.JSONDecoder(strict=False)


def find_files(completion: str) -> SiteStructure | NoStructure:
    """Return the files of a completion, or why there are none."""
    text = completion.strip()
    if not text:
        return NoStructure("the completion is empty")
    blocks = fenced_blocks(text, _JSON | _HTML)
    reason = "the completion has neither a JSON list of files nor an HTML document"
    for start, region, origin in _json_places(text, blocks):
        found = _files_at(text, start, region, origin)
        if isinstance(found, SiteStructure):
            return found
        reason = found.reason
    return _html(text, blocks) or NoStructure(reason)


def _json_places(text: str, blocks: tuple[FencedBlock, ...]) -> Iterator[tuple[int, str, Origin]]:
    """Yield where JSON may begin, and the text that it may be cut off at the end of."""
    block = longest_block([one for one in blocks if one.content.lstrip()[:1] in ("[", "{")], _JSON)
    if block is not None:
        start = block.start + len(block.content) - len(block.content.lstrip())
        origin = Origin.FENCE if block.closed else Origin.UNCLOSED_FENCE
        yield start, text[start : block.start + len(block.content)], origin
    if text[0] in "[{":
        yield 0, text, Origin.BARE
    elif listed := _LIST.search(text):
        yield listed.start(), text[listed.start() :], Origin.BARE


def _files_at(text: str, start: int, region: str, origin: Origin) -> SiteStructure | NoStructure:
    value, mended, why = _decoded(text, start)
    repairs: tuple[Repair, ...] = ()
    if why and not mended:
        for whole in (text[start:], region):
            for number, closed in enumerate(closings(whole)):
                value, _, fault = _decoded(closed, 0)
                files = None if fault and value is None else _files(value)
                if isinstance(files, dict) and files:
                    kept = "to its end" if number == 0 else "without its last item"
                    repairs = (Repair(RepairKind.SALVAGE_JSON, kept, why),)
                    return site_structure(files, origin, repairs)
        return NoStructure(f"the list of files is not JSON: {why}")
    if mended:
        repairs = (Repair(RepairKind.MEND_JSON, "raw control characters in texts", why),)
    files = _files(value)
    return NoStructure(files) if isinstance(files, str) else site_structure(files, origin, repairs)


def _decoded(text: str, start: int) -> tuple[object, bool, str]:
    """Return the JSON value that begins there, whether it had to be read leniently, and what is wrong."""
    why = ""
    for decoder in (_STRICT, _LENIENT):
        try:
            value, _ = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            why = why or f"{error.msg} at line {error.lineno}, column {error.colno}"
        except (ValueError, RecursionError) as error:
            why = why or str(error)
        else:
            return value, decoder is _LENIENT, why
    return None, False, why


def _files(value: object) -> dict[str, str] | str:
    """Return the files that a JSON value lists, or why it lists none."""
    match value:
        case {"filename": str(name), "content": str(content)}:
            return {name: content}
        case dict():
            listed = [{"filename": name, "content": content} for name, content in value.items()]
        case list():
            listed = value
        case _:
            return "the JSON is neither a list of files nor an object of name to content"
    files: dict[str, str] = {}
    for number, item in enumerate(listed, start=1):
        match item:
            case {"filename": str(name), "content": str(content)}:
                files[name] = content
            case _:
                return f"file {number} of the list is not an object of filename and content"
    return files or "the list of files is empty"


def _html(text: str, blocks: tuple[FencedBlock, ...]) -> SiteStructure | None:
    block = longest_block([one for one in blocks if one.info in _HTML], _HTML)
    document = _DOCUMENT.search(text)
    if block is not None:
        code, origin = block.content.strip(), Origin.FENCE if block.closed else Origin.UNCLOSED_FENCE
    elif document is not None:
        code, origin = _document(text[document.start() :]), Origin.BARE
    else:
        return None
    repair = Repair(RepairKind.HTML_AS_INDEX, INDEX, "the answer is an HTML document and no list of files")
    return site_structure({INDEX: code}, origin, (repair,))


def _document(text: str) -> str:
    """Return an HTML document up to its end tag, or what there is of it before a closing fence."""
    ends = list(_DOCUMENT_END.finditer(text))
    if ends:
        return text[: ends[-1].end()]
    return text.partition("\n```")[0].strip()
