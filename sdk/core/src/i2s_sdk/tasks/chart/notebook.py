"""Lines of notebooks, of interpreters and of shells, which are no Python.

A program is only changed at a line at which Python cannot read it. So a line such as ``% width`` that goes on
with an expression stays.
"""

from __future__ import annotations

import re

_MOST_SHOWN = 80
#: ``%magic``, ``%%cell magic``, ``!command``, ``?help`` and ``help?``.
_LINE = re.compile(r"[ \t]*(?:%{1,2}[A-Za-z]\w*|!{1,2}[ \t]*[\w./]|\?{1,2}\w|\w[\w.]*\?{1,2}[ \t]*$)")
#: A magic whose argument is a statement that runs.
_TIMED = re.compile(r"([ \t]*)%time[ \t]+(.*)")
_PROMPT = re.compile(r"(?:>>>|\.\.\.|In \[\d*\]:| +\.\.\.:)(?: |$)")
_NOT_PYTHON = re.compile(
    r"^[ \t]*(?:[%!][^\n]*|\$ [^\n]*|(?:pip3?|conda|python3? -m pip) install[^\n]*)$", re.MULTILINE
)
_PROMPTS = re.compile(r"^[ \t]*(?:>>>|\.\.\.) ?", re.MULTILINE)
#: What no output looks like: a line that was written without a prompt.
_STATEMENT = re.compile(
    r"[ \t]*(?:import |from \w[\w.]* import |(?:def|class|for|while|if|with|try)\b.*:|plt\.\w+\(|\w[\w.]* = )"
)


def python_lines(code: str) -> str:
    """Return the Python of a block: without lines of notebooks and shells, and without prompts.

    It tells what a block defines and needs, and is not what runs.
    """
    return _PROMPTS.sub("", _NOT_PYTHON.sub("", code))


def without_notebook_line(code: str, number: int) -> tuple[str, str] | None:
    """Return a program without the line at which Python cannot read it, and what was left out.

    If that line has a prompt of an interpreter, all prompts are left out, with the output between them. Lines
    keep their numbers. Returns None if the line is none of a notebook or an interpreter, or if lines without
    a prompt are statements.

    Args:
        code: The program.
        number: Number of the line, from 1.
    """
    lines = code.split("\n")
    if not 1 <= number <= len(lines):
        return None
    line = lines[number - 1]
    if _PROMPT.match(line):
        return _without_prompts(lines)
    if not _LINE.match(line):
        return None
    timed = _TIMED.match(line)
    indentation = line[: len(line) - len(line.lstrip())]
    last = number
    if timed is not None:
        kept = timed[1] + timed[2]
    else:
        kept = f"{indentation}pass" if indentation else ""
        while lines[last - 1].rstrip().endswith("\\") and last < len(lines):
            last += 1
    rest = [kept, *[""] * (last - number)]
    changed = "\n".join([*lines[: number - 1], *rest, *lines[last:]])
    return changed, line.strip()[:_MOST_SHOWN]


def _without_prompts(lines: list[str]) -> tuple[str, str] | None:
    kept: list[str] = []
    prompts = outputs = 0
    for line in lines:
        prompt = _PROMPT.match(line)
        if prompt is not None:
            prompts += 1
            kept.append(line[prompt.end() :])
            continue
        if line.strip() and (not prompts or _STATEMENT.match(line)):
            return None
        outputs += bool(line.strip())
        kept.append("")
    return "\n".join(kept), f"{prompts} prompts and {outputs} lines of output of an interpreter"
