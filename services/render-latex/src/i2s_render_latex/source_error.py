"""The error of a document as it is reported, with the packages that define a missing name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from i2s_render_latex.log import LoggedError
from i2s_render_latex.texindex import TexIndex, pgf_undefined
from i2s_wire.render.source_error import ErrorKind, Provider, SourceError, Undefined


@dataclass(frozen=True, slots=True)
class LatexDiagnosis:
    """The subject of an error, and the undefined name; empty if nothing is undefined."""

    kind: ErrorKind
    name: str = ""


# The first pattern that is found in the message decides; group 1, if there is one, is the name.
_PATTERNS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (ErrorKind.CAPACITY, r"^TeX capacity exceeded"),
        (ErrorKind.CAPACITY, r"^(?:Arithmetic overflow|Dimension too large|Number too big)\b"),
        (ErrorKind.CAPACITY, r"Too many unprocessed floats|No room for a new|Too many math alphabets"),
        (ErrorKind.UNDEFINED_COMMAND, r"^Undefined control sequence"),
        (ErrorKind.UNDEFINED_COMMAND, r"^LaTeX Error: Command \\(\S+?) undefined"),
        (
            ErrorKind.UNDEFINED_COMMAND,
            r"^LaTeX Error: Command \\(\S+?) (?:unavailable in|not provided in base)",
        ),
        (ErrorKind.UNDEFINED_ENVIRONMENT, r"Environment (.+?) undefined\b"),
        (ErrorKind.UNDEFINED_COLOR, r"Undefined color(?: model)? [`'](.+?)'"),
        (ErrorKind.UNDEFINED_COLOR, r"Unknown color [`'](.+?)'"),
        (ErrorKind.UNDEFINED_KEY, r"I can't find file `pgflibrarypgfplots\.(.+?)\.code\.tex'"),
        (ErrorKind.UNDEFINED_FILE, r"[Ff]ile [`'](.+?)' not found"),
        (ErrorKind.UNDEFINED_FILE, r"^I can't find file [`'](.+?)'"),
        (ErrorKind.UNDEFINED_FILE, r"^Font \S+?=(\S+) .*not load(?:able|ed): Metric"),
        (ErrorKind.UNDEFINED_FILE, r"pdfTeX error: \S+ \(file (\S+?)\): (?:Font|cannot open|cannot find)"),
        (ErrorKind.UNDEFINED_FILE, r"Unable to load picture or PDF file [`'](.+?)'"),
        (ErrorKind.UNDEFINED_FILE, r"cannot find image file [`'](.+?)'"),
        (ErrorKind.MISSING_MATH, r"^Missing \$ inserted|allowed only in math mode"),
        (ErrorKind.ALREADY_DEFINED, r"already defined"),
        (
            ErrorKind.CONFLICT,
            r"Option clash|incompatible|Two \\(?:documentclass|LoadClass) commands",
        ),
        (ErrorKind.CONFLICT, r"Loading a class or package in a group|cannot be used with|conflicts? with"),
        (
            ErrorKind.CONFLICT,
            r"requires (?:either )?(?:Xe|Lua)(?:La)?TeX|available only in (?:lua|xe)tex",
        ),
        (ErrorKind.SYNTAX, r"^Emergency stop\. The document ends "),
        (ErrorKind.INPUT_OUTPUT, r"^Emergency stop|^I can't write on file|Unable to read an entire line"),
        (ErrorKind.INPUT_OUTPUT, r"pdfTeX error"),
        (
            ErrorKind.SYNTAX,
            r"^(?:Missing |Extra |Misplaced |Runaway |Illegal |Double su|Incomplete |Improper |Argument of |"
            r"Paragraph ended before |File ended while |Forbidden control sequence|Use of |Too many }|"
            r"You can't use |Ambiguous|Limit controls |Math formula deleted|Display math should end|"
            r"Leaders not followed|Text line contains an invalid|Parameters must be|Infinite glue|"
            r"Interwoven alignment|\(?\\end occurred)",
        ),
        (
            ErrorKind.SYNTAX,
            r"LaTeX Error: (?:\\begin\{.*\} .*ended by|Bad math|Something's wrong|There's no line|"
            r"Illegal character|Missing |Lonely |Not in outer par|\\< |\\> |Tab overflow|\\caption outside|"
            r"No counter|Bad \\line|Can only be used in preamble|Not allowed|Unexpected)",
        ),
        (
            ErrorKind.SYNTAX,
            r"Package (?:amsmath|mathtools) Error: (?:Erroneous nesting|Extra &|Multiple \\|Invalid use|"
            r"\\begin\{.*\} allowed only in paragraph)",
        ),
        (
            ErrorKind.SYNTAX,
            r"Package (?:tikz|pgf) Error: (?:Giving up on this path|Cannot parse|\+ or - expected)",
        ),
        (ErrorKind.SYNTAX, r"Package array Error|Package PGF Math Error: (?!Unknown)"),
    )
)


# How packages end a document that another engine has to compile; the message is "Emergency stop".
_REQUIRES_ENGINE = re.compile(r"\\Require(?:XeTeX|LuaTeX|LuaHBTeX|TUTeX)$")


def diagnose(error: LoggedError) -> LatexDiagnosis:
    """Return what an error is about."""
    key = pgf_undefined(f"{error.message}\n{error.context}")
    if key is not None:
        return LatexDiagnosis(ErrorKind.UNDEFINED_KEY, key)
    if _REQUIRES_ENGINE.search(error.context):
        return LatexDiagnosis(ErrorKind.CONFLICT)
    for kind, pattern in _PATTERNS:
        match = pattern.search(error.message)
        if match is None:
            continue
        name = match[1] if match.groups() else ""
        if kind is ErrorKind.UNDEFINED_COMMAND:
            name = name or error.command
        return LatexDiagnosis(kind, name.strip())
    return LatexDiagnosis(ErrorKind.OTHER)


_ROOTS = ("/tikz/", "/pgfplots/", "/pgf/")


def source_error(error: LoggedError, index: TexIndex) -> SourceError:
    """Return an error with what it is about and, if something is undefined, what defines it."""
    diagnosis = diagnose(error)
    name = _shown(diagnosis)
    undefined = Undefined(name, _providers(diagnosis, error, index)) if name else None
    return SourceError(error.message, diagnosis.kind, error.line, error.file, undefined, error.context)


def _shown(diagnosis: LatexDiagnosis) -> str:
    """Return an undefined name as people write it: keys of pgf without the root of their path."""
    if diagnosis.kind is not ErrorKind.UNDEFINED_KEY:
        return diagnosis.name
    root = next((root for root in _ROOTS if diagnosis.name.startswith(root)), "")
    return diagnosis.name.removeprefix(root)


def _providers(diagnosis: LatexDiagnosis, error: LoggedError, index: TexIndex) -> tuple[Provider, ...]:
    name = diagnosis.name
    match diagnosis.kind:
        case ErrorKind.UNDEFINED_COMMAND:
            return index.providers_of_command(name)
        case ErrorKind.UNDEFINED_ENVIRONMENT:
            return index.providers_of_environment(name)
        case ErrorKind.UNDEFINED_FILE:
            return index.providers_of_file(name)
        case ErrorKind.UNDEFINED_KEY if "tikz library" in error.message:
            return index.providers_of_file(f"tikzlibrary{name}.code.tex")
        case ErrorKind.UNDEFINED_KEY if "pgflibrarypgfplots" in error.message:
            return index.providers_of_file(f"tikzlibrarypgfplots.{name}.code.tex")
        case ErrorKind.UNDEFINED_KEY:
            return index.providers_of_key(name)
        case _:
            return ()
