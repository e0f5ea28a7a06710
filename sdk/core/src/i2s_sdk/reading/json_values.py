"""JSON values as models write them: several in a row, with faults that have one reading, or cut off.

Read beside JSON, each reported: control characters within texts; a backslash before a character that JSON
does not escape, which is a backslash of the text; a comma before a closing bracket; comments; texts between
backticks; all of it as Python writes it. JSON that was cut off is closed where it ends.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from i2s_sdk.json_text import read_json
from i2s_sdk.reading.python_source import python_expression

_CUT_TOKEN = re.compile(
    r"""[ \t\r\n]+
    | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<cut_string>"(?:[^"\\]|\\.)*\\?\Z)
    | (?P<open>[\[{]) | (?P<close>[\]}]) | (?P<comma>,) | :
    | [-+.\w]+""",
    re.VERBOSE | re.DOTALL,
)
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{0,3})?\Z")
_CLOSERS = {"[": "]", "{": "}"}


def closings(text: str) -> tuple[str, ...]:
    """Return what a text that was cut off inside of JSON may have been, best guess first.

    The first closes the last string and everything around it; the second gives up the last item of the
    outermost list or object. A text that is not JSON up to its end, or is complete, gives none.

    Args:
        text: Text from the first bracket on.
    """
    stack: list[str] = []
    last_comma, end, cut_string = 0, 0, False
    for token in _tokens(text):
        end = token.end()
        match token.lastgroup:
            case "open":
                stack.append(_CLOSERS[token.group()])
            case "close":
                if not stack or stack.pop() != token.group():
                    return ()
                if not stack:
                    break
            case "comma" if len(stack) == 1:
                last_comma = token.start()
            case "cut_string":
                cut_string = True
    if not stack or end < len(text):
        return ()
    closers = "".join(reversed(stack))
    whole = _without_cut_escape(text) + '"' if cut_string else text
    shorter = (text[:last_comma] + stack[0],) if last_comma else ()
    return (whole + closers, *shorter)


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Yield tokens up to the end, or to the first thing that is none."""
    position = 0
    while position < len(text) and (token := _CUT_TOKEN.match(text, position)):
        yield token
        position = token.end()


def _without_cut_escape(text: str) -> str:
    """Return a text without an escape that was cut off; an escaped backslash at its end is none."""
    cut = _CUT_ESCAPE.search(text, max(0, len(text) - 5))
    if cut is None:
        return text
    backslashes = len(text[: cut.start() + 1]) - len(text[: cut.start() + 1].rstrip("\\"))
    return text[: cut.start()] if backslashes % 2 else text


_STRICT, _LENIENT = json.JSONDecoder(), json.JSONDecoder(strict=False)
_BETWEEN = re.compile(r"[\s,]*")
# A text or comment that never ends goes to the end, so that it is looked through once.
_COMMENT = r"//[^\n]*|/\*(?:.*?\*/|.*\Z)"
_TOKEN = re.compile(
    rf"""(?P<text>"(?:[^"\\]|\\.)*+(?:"|\\?\Z)) | (?P<ticks>`(?:[^`\\]|\\.)*+(?:`|\\?\Z))
    | (?P<comma>,)(?P<between>(?:\s|{_COMMENT})*+)(?P<closes>(?=[\]}}]))? | (?P<comment>{_COMMENT})""",
    re.VERBOSE | re.DOTALL,
)
_COMMENTS_OF = re.compile(_COMMENT, re.DOTALL)
_ESCAPE = re.compile(r"\\(?:(?P<good>[\"\\/bfnrt]|u[0-9A-Fa-f]{4})|(?P<quote>['`])|(?P<bad>.))", re.DOTALL)
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f]")
#: Names of what ``mended_json`` changes, for the record.
_ESCAPES, _COMMAS, _COMMENTS, _TICKS = (
    "escapes that JSON lacks",
    "trailing commas",
    "comments",
    "texts in backticks",
)
_CONTROL = "raw control characters in texts"
_PYTHON = "notation of Python"


@dataclass(frozen=True, slots=True)
class JsonValues:
    """The JSON values that stand one after the other in a text."""

    #: The values, in order.
    values: tuple[object, ...] = ()
    #: Where the last one ends, in the text as it was given.
    end: int = 0
    #: What was read beside JSON, in words.
    mends: tuple[str, ...] = ()
    #: Whether the last value was cut off and is closed where it ends, and what became of it: "to its end" or
    #: "without its last item"; empty if it is whole.
    cut: str = ""
    #: Why the next value cannot be read, or why the last one had to be closed; empty if neither.
    fault: str = ""


def json_values(text: str, accepts: Callable[[object], bool] = lambda value: True) -> JsonValues:
    """Return the objects and lists that stand one after the other from the beginning of a text.

    Text behind the last of them that begins no object or list is left alone.

    Args:
        text: Text whose first character that is not white space begins an object or a list.
        accepts: Whether a value that was cut off is of use as it is closed; else its last item is given up.
    """
    strict = _decoded(text, _STRICT)
    if not strict.fault:
        return strict
    lenient = replace(_decoded(text, _LENIENT), mends=(_CONTROL,))
    mended, mends = mended_json(text)
    repaired = _decoded(mended, _LENIENT)
    tried = (strict, lenient, JsonValues(repaired.values, len(text), mends, fault=repaired.fault))
    whole = next((values for values in tried if not values.fault), None)
    if whole is None and (python := _python_as_json(text)):
        whole = replace(_decoded(python, _STRICT), end=len(text), mends=(_PYTHON,))
    if whole is not None:
        return whole
    best = max(tried, key=lambda values: len(values.values))  # the first of equals
    return _closed(text, mends, best, accepts) or best


def _decoded(text: str, decoder: json.JSONDecoder) -> JsonValues:
    values: list[object] = []
    position = end = _after_blank(text, 0)
    while position < len(text) and text[position] in "[{":
        try:
            value, end = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            return JsonValues(
                tuple(values), end, fault=f"{error.msg} at line {error.lineno}, column {error.colno}"
            )
        except (ValueError, RecursionError) as error:
            return JsonValues(tuple(values), end, fault=str(error))
        values.append(value)
        position = _after_blank(text, end)
    return JsonValues(tuple(values), end)


def _after_blank(text: str, position: int) -> int:
    blank = _BETWEEN.match(text, position)
    return blank.end() if blank else position


def _closed(
    text: str, mends: tuple[str, ...], whole: JsonValues, accepts: Callable[[object], bool]
) -> JsonValues | None:
    """Return the values of a text whose last one was cut off, closed where it ends; None if it was not."""
    start = _after_blank(text, whole.end) if whole.values and whole.end < len(text) else 0
    before = whole.values if start else ()
    for number, closed in enumerate(closings(text[start:].lstrip())):
        for candidate, own in ((closed, ()), (mended_json(closed)[0], mends)):
            last = _decoded(candidate, _LENIENT)
            if last.values and not last.fault and accepts(last.values[-1]):
                kept = "to its end" if number == 0 else "without its last item"
                return JsonValues((*before, *last.values), len(text), own, kept, whole.fault)
    return None


def mended_json(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a JSON text without the faults that have one reading, and the names of these faults."""
    parts: list[str] = []
    mends: list[str] = []
    position = 0
    for token in _TOKEN.finditer(text):
        replaced, names = _replaced(token)
        if not names:
            continue
        mends += names
        parts += [text[position : token.start()], replaced]
        position = token.end()
    return "".join([*parts, text[position:]]), tuple(dict.fromkeys(mends))


def _python_as_json(text: str) -> str:
    """Return an object or list that Python writes as JSON; empty if a text is none of JSON's."""
    expression = python_expression(text.strip())
    if expression is None or not all(
        _has_plain_keys(node) for node in ast.walk(expression) if isinstance(node, ast.Dict)
    ):
        return ""
    try:
        value: object = ast.literal_eval(expression)
        return (
            json.dumps(value, ensure_ascii=False, allow_nan=False) if isinstance(value, dict | list) else ""
        )
    except (ValueError, TypeError, RecursionError, MemoryError):
        return ""


def _has_plain_keys(node: ast.Dict) -> bool:
    """Return whether the keys of a dict are different texts, as those of an object are."""
    keys = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    return len(set(keys)) == len(node.keys)


def _replaced(token: re.Match[str]) -> tuple[str, list[str]]:
    """Return a token as JSON has it, and the names of its faults."""
    text = token.group()
    if text[0] == ",":
        between = _COMMENTS_OF.sub(" ", token["between"])
        closes = token["closes"] is not None
        names = [_COMMAS] * closes + [_COMMENTS] * (between != token["between"])
        return between if closes else f",{between}", names
    if text[0] == "/":
        return " ", [_COMMENTS]
    if len(text) < len('""') or text[-1] != text[0]:
        return text, []
    if text[0] == "`":
        return json.dumps(_ESCAPE.sub(_meant, text[1:-1])), [_TICKS]
    escaped = _ESCAPE.sub(_escaped, text)
    clean = _CONTROL_CHARACTER.sub(lambda character: f"\\u{ord(character.group()):04x}", escaped)
    names = [_ESCAPES] if escaped != text else []
    return clean, [*names, _CONTROL] if clean != escaped else names


def _escaped(escape: re.Match[str]) -> str:
    """Return an escape of a text as JSON has it."""
    if escape["good"]:
        return escape.group()
    return escape["quote"] or json.dumps("\\" + escape["bad"])[1:-1]


def _meant(escape: re.Match[str]) -> str:
    """Return the characters that an escape of a text between backticks means."""
    if escape["good"]:
        return str(read_json(f'"{escape.group()}"'))
    return escape["quote"] or escape.group()
