"""The repairs of profile ``paper``: each a function of a document, an error and the repairs before it.

A repair answers the first error that the engine reported and changes one part of the document. Packages and
libraries come from the renderer's index of its TeX tree, so nothing is added that is not installed there.

Source: Image2Struct, appendix on post-processing (maths, packages). The others mend what keeping the model's
own packages can break, and habits of models that no TeX accepts and that have one reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath

from i2s_sdk.tasks.latex import display_repairs as mend
from i2s_sdk.tasks.latex.document import fixed_libraries
from i2s_sdk.tasks.latex.packages import ALGORITHM2E, ALGORITHM2E_NAMES, Package
from i2s_sdk.tasks.latex.paper_document import PaperDocument, command_of, defined_names
from i2s_sdk.tasks.latex.tex_source import TexCommand, commands, cut, find_code
from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError

_LISTED = re.compile(r"(\\use(?:tikz|pgfplots|pgf)library\s*\{)([^{}]*)(\})")
_EXTERNAL = {
    "tikzexternalize": 0,
    "tikzexternaldisable": 0,
    "tikzexternalenable": 0,
    "tikzsetexternalprefix": 1,
    "tikzsetnextfilename": 1,
    "tikzsetfigurename": 1,
    "tikzset": 1,
    "usetikzlibrary": 1,
    "usepgfplotslibrary": 1,
    "usepgflibrary": 1,
}
_KEYS = re.compile(r"\s*(?:/tikz/)?external/")
_OF_ERROR = re.compile(r"system call|\.md5'|externali[sz]")


def without_library(code: str, name: str) -> str:
    """Return ``code`` without a library in the lists of those that it loads."""

    def shorter(match: re.Match[str]) -> str:
        kept = [entry for entry in match[2].split(",") if entry.strip() != name]
        return match[1] + ",".join(kept) + match[3]

    return _LISTED.sub(shorter, code)


def is_of_externalization(error: SourceError) -> bool:
    """Return whether an error is one that the library ``external`` causes where no shell is."""
    return error.file.startswith("tikzlibraryexternal") or _OF_ERROR.search(error.message) is not None


def without_externalization(code: str) -> str:
    """Return ``code`` that draws each figure itself: without the library ``external`` and its commands."""
    unwanted = [command for command in commands(code, _EXTERNAL) if _is_unwanted(command)]
    return without_library(cut(code, unwanted), "external")


def _is_unwanted(command: TexCommand) -> bool:
    if command.name == "tikzset":
        return _KEYS.match(command.arguments[0]) is not None
    return not command.name.startswith("use") or command.arguments[0].strip() == "external"


#: The most repairs of one document.
MAX_REPAIRS = 5

Change = tuple[RepairKind, str, PaperDocument]

_NO_FILE = re.compile(r"File [`'](?P<file>[^']+)' not found")
_CLASH = re.compile(
    r"(?:Option clash for package|Unknown option [`'][^']*' for package) [`']?(?P<name>[\w-]+)"
)
_PACKAGE_ERROR = re.compile(r"Package (?P<name>[\w-]+) Error")
_NO_LIBRARY = re.compile(r"(?:library [`']|pgflibrarypgfplots\.)(?P<name>[^'.]+)(?:'|\.code\.tex)")
_DEFINED = re.compile(r"Command \\?(?P<name>[A-Za-z]+\*?)")
_LAST_COMMAND = re.compile(r"\\([A-Za-z@]+)\s*$")
_NO_MATH = re.compile(r"Missing \$ inserted|allowed only in math mode")
_NO_CHARACTER = re.compile(r"Unicode character .* not set up for use with LaTeX")

# What TeX says of faults of the body that have one reading, and the repair of each; the first that changes
# the body is made. What is open at the end of the document is noticed by its end.
_BODY = (
    (
        RepairKind.DROP_BLANK_LINES,
        re.compile(r"^Paragraph ended before |^Missing \$ inserted"),
        mend.without_blank_lines,
    ),
    (
        RepairKind.UNNEST_MATH,
        re.compile(
            r"Erroneous nesting of equation|allowed only in paragraph mode|Bad math environment delimiter"
            r"|Display math should end with|^Missing \\endgroup inserted|^Argument of \\\w+\*? has an extra"
            r"|\{split\} won't work here|^Missing \} inserted"
        ),
        mend.unnested,
    ),
    (RepairKind.ALLOW_TAG, re.compile(r"\\tag not allowed here"), mend.taggable),
    (RepairKind.ALIGN_LINES, re.compile(r"alignment tab"), mend.aligned),
    (RepairKind.END_ROWS, re.compile(r"^Misplaced \\(?:noalign|omit)"), mend.with_rows_ended),
    (
        RepairKind.SPLIT_DELIMITERS,
        re.compile(r"forgotten \\right|^Missing \\right|^Extra \\right"),
        mend.with_delimiters_split,
    ),
    (
        RepairKind.CLOSE_GROUPS,
        re.compile(
            r"ended by \\end\{|^File ended while |^Emergency stop\. The document ends |\\end occurred"
            r"|^Missing \\endgroup inserted|^Extra \}, or forgotten \\endgroup|\\end\{document\}\s*$"
        ),
        mend.closed,
    ),
    (
        RepairKind.ESCAPE_CHARACTER,
        re.compile(r"^Misplaced alignment tab"),
        partial(mend.with_plain_characters, character="&"),
    ),
    (
        RepairKind.ESCAPE_CHARACTER,
        re.compile(r"macro parameter character|^Illegal parameter number"),
        partial(mend.with_plain_characters, character="#"),
    ),
)


def repair(
    document: PaperDocument, error: SourceError, past: Sequence[Repair]
) -> Repaired[PaperDocument] | None:
    """Return the document after the first repair that applies, or None if there is none."""
    for change in _CHANGES:
        changed = change(document, error, past)
        if changed is not None:
            kind, detail, after = changed
            return Repaired(after, Repair(kind, detail, error.message))
    return None


def _swap_algorithm(document: PaperDocument, error: SourceError, past: Sequence[Repair]) -> Change | None:
    providers = error.undefined.providers if error.undefined else ()
    provided = Provider(ProviderKind.PACKAGE, ALGORITHM2E.name) in providers[:1]
    if not provided and _undefined_name(error) not in ALGORITHM2E_NAMES:
        return None
    if find_code(r"\begin{algorithmic}", document.body) >= 0 or _was_dropped(ALGORITHM2E.name, past):
        return None
    after = document.with_package(ALGORITHM2E)
    return (RepairKind.SWAP_ALGORITHM, ALGORITHM2E.name, after) if after else None


def _drop_library(document: PaperDocument, error: SourceError, past: Sequence[Repair]) -> Change | None:
    missing = _NO_LIBRARY.search(error.message)
    if missing is None:
        return None
    name = missing["name"]
    after = replace(
        document,
        definitions=without_library(document.definitions, name),
        body=without_library(document.body, name),
        libraries=tuple(library for library in document.libraries if library.name != name),
    )
    return (RepairKind.DROP_LIBRARY, name, after) if after != document else None


def _drop_package(document: PaperDocument, error: SourceError, past: Sequence[Repair]) -> Change | None:
    for name in _culprits(document, error):
        after = document.without_package(name)
        if after is not None:
            return RepairKind.DROP_PACKAGE, name, after
    return None


def _culprits(document: PaperDocument, error: SourceError) -> list[str]:
    """Return the names of packages that an error can be the fault of, best guess first."""
    suspects: list[str] = []
    if missing := _NO_FILE.search(error.message):
        suspects.append(PurePosixPath(missing["file"]).stem)
    if error.kind is ErrorKind.UNDEFINED_FILE and error.undefined:
        suspects.append(PurePosixPath(error.undefined.name).stem)
    suspects += [
        match["name"] for pattern in (_CLASH, _PACKAGE_ERROR) for match in pattern.finditer(error.message)
    ]
    if error.file.endswith(".sty"):
        suspects.append(PurePosixPath(error.file).stem)
    if error.kind in (ErrorKind.CONFLICT, ErrorKind.ALREADY_DEFINED, ErrorKind.OTHER) and not error.file:
        line = dict(enumerate(document.source.splitlines(), start=1)).get(error.line)
        suspects += [package.name for package in document.packages if package.line == line]
    return suspects


def _free_name(document: PaperDocument, error: SourceError, past: Sequence[Repair]) -> Change | None:
    taken = _DEFINED.search(error.message) if "already defined" in error.message else None
    if (
        taken is None
        or taken["name"] in document.freed
        or taken["name"] not in defined_names(document.own_code)
    ):
        return None
    name = taken["name"]
    names = (name, f"end{name}") if f"end{name}" in defined_names(document.own_code) else (name,)
    return RepairKind.FREE_NAME, name, replace(document, freed=(*document.freed, *names))


def _add_provider(document: PaperDocument, error: SourceError, past: Sequence[Repair]) -> Change | None:
    for provider in error.undefined.providers if error.undefined else ():
        if provider.kind is ProviderKind.PACKAGE and not _was_dropped(provider.name, past):
            after = document.with_package(Package(provider.name))
            if after is not None:
                return RepairKind.ADD_PACKAGE, provider.name, after
        if provider.kind in (ProviderKind.TIKZ_LIBRARY, ProviderKind.PGFPLOTS_LIBRARY):
            known = provider in document.libraries or provider.name in fixed_libraries(document.fixed)
            if not known and not _was_dropped(provider.name, past):
                after = replace(document, libraries=(*document.libraries, provider))
                return RepairKind.ADD_LIBRARY, provider.name, after
    return None


def _wrap_math(document: PaperDocument, error: SourceError, past: Sequence[Repair]) -> Change | None:
    outside = error.kind is ErrorKind.MISSING_MATH or _NO_MATH.search(error.message)
    if not outside or document.in_equation:
        return None
    return RepairKind.WRAP_MATH, "equation", replace(document, in_equation=True)


def _drop_externalization(
    document: PaperDocument, error: SourceError, past: Sequence[Repair]
) -> Change | None:
    if not is_of_externalization(error):
        return None
    definitions, body = map(without_externalization, (document.definitions, document.body))
    after = replace(document, definitions=definitions, body=body)
    return (RepairKind.DROP_LIBRARY, "external", after) if after != document else None


def _mend_body(document: PaperDocument, error: SourceError, past: Sequence[Repair]) -> Change | None:
    said = f"{error.message}\n{error.context}"
    for kind, pattern, mended in _BODY:
        after = mended(document.body) if pattern.search(said) else None
        if after is not None:
            return kind, after.detail, replace(document, body=after.source)
    return None


def _declare_characters(document: PaperDocument, error: SourceError, past: Sequence[Repair]) -> Change | None:
    if _NO_CHARACTER.search(error.message) is None or document.characters:
        return None
    written = (one for one in sorted(set(document.own_code)) if not one.isascii())
    known = "".join(one for one in written if command_of(one) is not None)
    names = " ".join(f"U+{ord(one):04X}" for one in known)
    return (RepairKind.DECLARE_CHARACTERS, names, replace(document, characters=known)) if known else None


_CHANGES: tuple[Callable[[PaperDocument, SourceError, Sequence[Repair]], Change | None], ...] = (
    _swap_algorithm,
    _drop_externalization,
    _drop_library,
    _drop_package,
    _free_name,
    _add_provider,
    _declare_characters,
    _mend_body,
    _wrap_math,
)


def _was_dropped(name: str, past: Sequence[Repair]) -> bool:
    drops = (RepairKind.DROP_PACKAGE, RepairKind.DROP_LIBRARY)
    return any(done.kind in drops and done.detail == name for done in past)


def _undefined_name(error: SourceError) -> str:
    if error.undefined:
        return error.undefined.name
    last = _LAST_COMMAND.search(error.context) if error.kind is ErrorKind.UNDEFINED_COMMAND else None
    return last[1] if last else ""
