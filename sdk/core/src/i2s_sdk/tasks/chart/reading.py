"""Reads the Python program of an answer: of blocks, of notebooks, of interpreters and of shells.

A program is only changed at a line at which Python cannot read it. So a line such as ``% width`` that goes on
with an expression stays.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from i2s_sdk.reading import CodeRules
from i2s_sdk.reading.code_block import without_prose
from i2s_sdk.reading.python_source import FILE, UNREADABLE, python_tree
from i2s_sdk.tasks.answer_reading import code_structure
from i2s_sdk.tasks.structure import NoStructure, Structure

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


_TARGET = r"[A-Za-z_][\w.]*(?:\[[^\]\n]*\])?"
#: Lines that are code and no prose: imports, calls, assignments, compound statements, ends of brackets.
_CODE = re.compile(
    r"^[ \t]*(?:>>> ?)?(?:import[ ]+\w|from[ ]+[\w.]+[ ]+import\b|@\w"
    r"|(?:for|while|if|with|def|class|elif|async)\b[^\n]*:[ \t]*(?:#[^\n]*)?$|(?:try|else|finally):"
    rf"|{_TARGET}(?:[ ]*,[ ]*{_TARGET}){{0,20}}[ ]*(?:[-+*/|&%]|//|\*\*)?=(?!=)|[A-Za-z_][\w.]*\("
    r"|[)\]}][)\]},]*[ \t]*$|[%!][a-z])",
    re.MULTILINE,
)
#: The most blocks that are looked at as the last one of a program.
_MOST_PROGRAMS = 20
#: Names that every module has.
_KNOWN = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of a block: those that it defines, those that it needs, and whether it imports anything."""

    defined: frozenset[str] = frozenset()
    needed: frozenset[str] = frozenset()
    imports: bool = False


def _has_body(code: str) -> bool:
    """Return whether a block does more than install and import."""
    python = python_lines(code)
    tree = python_tree(python)
    if tree is None:
        return bool(python.strip())
    return any(not _is_header(statement) for statement in tree.body)


def _is_header(statement: ast.stmt) -> bool:
    text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return text or isinstance(statement, ast.Import | ast.ImportFrom)


def _names(code: str) -> _Names:
    """Return the names of a block; one that is not Python has none."""
    python = python_lines(code)
    tree = python_tree(python)
    if tree is None:
        return _Names()
    try:
        table = symtable.symtable(python, FILE, "exec")
    except UNREADABLE:
        return _Names()
    defined = {
        symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()
    }
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in tree.body):
        return _Names(frozenset(defined), imports=True)  # nobody knows which names these are
    used = {one for scope in _scopes(table) for one in _globals(scope)}
    imports = any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(tree))
    return _Names(frozenset(defined), frozenset(used - defined - _KNOWN), imports)


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _globals(scope: symtable.SymbolTable) -> Iterator[str]:
    module = scope.get_type() == "module"
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (module or symbol.is_global()):
            yield symbol.get_name()


def _program(blocks: Sequence[str]) -> tuple[int, ...]:
    """Return the blocks that are one program: the last one that draws, and those whose names it needs.

    A block that needs names goes with all blocks since the first that defines one of them, as the cells of a
    notebook do; of these, a block that imports for itself and needs nothing is another version and stays out.
    A program without any import draws nothing, so an earlier one with imports is taken instead; so it is if
    the last block imports nothing and needs a name that no block defines, as an example of a change does.
    """
    names = [_names(block) for block in blocks]
    first_choice: tuple[int, ...] = ()
    for last in range(len(blocks) - 1, max(-1, len(blocks) - 1 - _MOST_PROGRAMS), -1):
        if not _has_body(blocks[last]):
            continue
        program = _joined(names, last)
        first_choice = first_choice or program
        if any(names[number].imports for number in program) and not _is_excerpt(names, program):
            return program
    return first_choice or (len(blocks) - 1,)


def _is_excerpt(names: Sequence[_Names], program: Sequence[int]) -> bool:
    """Return whether the last block of a program imports nothing and needs what none of them defines."""
    defined = {name for number in program for name in names[number].defined}
    last = names[program[-1]]
    return not last.imports and not last.needed <= defined


def _stretch(text: str) -> str:
    """Return the program of an answer without prose around it, if that is one and the whole is none."""
    first, _, rest = text.partition("\n")
    if first.strip().lower() in _LANGUAGES:
        text = rest.strip()
    if is_program(text):
        return text
    code = without_prose(text, lambda line: _CODE.match(line) is not None, _LANGUAGES)
    return code if is_program(python_lines(code)) else text


def _joined(names: Sequence[_Names], last: int) -> tuple[int, ...]:
    program, needed = [last], set(names[last].needed)
    first = last
    for number in range(last - 1, -1, -1):
        if needed & names[number].defined:
            needed |= names[number].needed
            first = number
    for number in range(last - 1, first - 1, -1):
        own_version = names[number].imports and not names[number].needed and number != first
        if not own_version:
            program.append(number)
    return tuple(reversed(program))


_LANGUAGES = frozenset({"python", "py", "python3", "matplotlib", "ipython", "ipython3", "pycon", "jupyter"})

RULES = CodeRules(
    "Python",
    _LANGUAGES,
    _has_body,
    _program,
    is_code=lambda text: _CODE.search(text) is not None,
    stretch=_stretch,
)


def is_program(text: str) -> bool:
    """Return whether a text is a program in Python as it stands."""
    return python_tree(text) is not None


def extract(text: str) -> Structure | NoStructure:
    """Return the program of an answer.

    It is the last complete block of Python that does more than install or import, with the blocks whose names
    it needs; else that of the blocks that name no language; a fence that a truncated answer left open is
    closed. Without a fence the answer is the program, without prose around it, unless no line of it begins as
    a call, an assignment, an import or a compound statement.

    Args:
        text: Answer without reasoning.
    """
    return code_structure(text, RULES)
