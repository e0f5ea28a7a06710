"""JSON that was cut off, closed where it ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
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
    outermost list or object. A text that is no JSON up to its end, or is complete, gives none.

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
    while position < len(text) and (token := _TOKEN.match(text, position)):
        yield token
        position = token.end()


def _without_cut_escape(text: str) -> str:
    """Return a text without an escape that was cut off; an escaped backslash at its end is none."""
    cut = _CUT_ESCAPE.search(text, max(0, len(text) - 5))
    if cut is None:
        return text
    backslashes = len(text[: cut.start() + 1]) - len(text[: cut.start() + 1].rstrip("\\"))
    return text[: cut.start()] if backslashes % 2 else text
