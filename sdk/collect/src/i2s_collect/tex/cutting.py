"""Cuts equations, tables, algorithms and plots out of the sources of a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from i2s_collect.candidates import Dropped, Piece, Reason
from i2s_collect.tex.declarations import needed
from i2s_collect.tex.environments import MAX_RAW_CHARACTERS, refusal
from i2s_collect.tex.expansion import MAX_READ, ExpansionError, expand
from i2s_collect.tex.macros import DEFINITIONS, Macro, MacroTable, Reading, read_definition
from i2s_collect.tex.reading import FoundEnvironment, Paper, read_paper
from i2s_collect.tex.scanner import Braces, Scanner, TokenKind

#: The most characters that are read to expand the macros of one paper.
MAX_READ_OF_PAPER = 100 * MAX_READ

_SPACES = re.compile(r"[ \t]+(?=\n|\Z)")
_EMPTY_LINES = re.compile(r"\n{3,}")


def cut_paper(members: Mapping[str, bytes]) -> Iterator[Piece | Dropped]:
    """Yield the pieces of a paper and the refused ones, in the order in which they stand.

    Of environments of one subset within one another the outermost is taken that is not refused.

    Args:
        members: Its files by name.
    """
    paper = read_paper(members)
    if not paper.roots:
        yield Dropped(Reason.NO_ROOT_FILE)
        return
    yield from paper.faults
    if not paper.found:
        yield Dropped(Reason.NOTHING_TO_CUT)
        return
    files = {
        id(found_environment.text): number
        for number, found_environment in reversed(list(enumerate(paper.found)))
    }
    ordered = sorted(paper.found, key=lambda one: (files[id(one.text)], one.start, -one.end))
    for _, found in groupby(ordered, key=lambda one: id(one.text)):
        yield from _cut_file(list(found), paper)


def _cut_file(environments: list[FoundEnvironment], paper: Paper) -> Iterator[Piece | Dropped]:
    """Yield what is cut out of one file, given in the order in which it begins."""
    taken: dict[str, int] = {}
    known = (0, 0)
    for environment in environments:
        if environment.start < taken.get(environment.subset, 0):
            continue
        start = environment.text.byte(environment.start, known)
        known = (environment.start, start)
        span = (
            start,
            environment.text.byte(environment.end, known)
            if environment.end - environment.start <= MAX_RAW_CHARACTERS
            else start,
        )
        result = cut_one(environment, paper)
        if isinstance(result, Piece):
            taken[environment.subset] = environment.end
            yield replace(result, span=span)
        else:
            yield result


def cut_one(environment: FoundEnvironment, paper: Paper) -> Piece | Dropped:
    """Return an environment as a piece without its bytes, or why it is refused."""
    length = environment.end - environment.start
    if length > MAX_RAW_CHARACTERS:
        return Dropped(
            Reason.TOO_LONG, f"{length} characters, more than {MAX_RAW_CHARACTERS}", subset=environment.subset
        )
    if paper.read > MAX_READ_OF_PAPER:
        return Dropped(Reason.MACROS, "the paper has too many macros to expand", subset=environment.subset)
    raw = environment.text.text[environment.start : environment.end].replace("\r\n", "\n").replace("\r", "\n")

    def meaning(name: str) -> Macro | None:
        return paper.macros.at(environment.time, name)

    try:
        cut = expand(raw, meaning, own_names(raw), paper.conditionals)
        declared = needed(cut.text, environment.subset, environment.declared)
        before = [expand(one.replace("\r", ""), meaning, (), paper.conditionals) for one in declared]
    except ExpansionError as error:
        paper.read += MAX_READ
        return Dropped(Reason.MACROS, str(error), subset=environment.subset)
    paper.read += sum(expanded.read for expanded in (*before, cut))
    text = "\n".join(_tidy(expanded.text) for expanded in (*before, cut))
    if refused := refusal(environment.subset, text):
        return refused
    return Piece(
        subset=environment.subset,
        member=environment.text.member,
        span=(0, 0),
        structure=text.encode("utf-8"),
        text=text,
        length=len(text),
        notes={
            "environment": environment.name,
            "expanded": sum(expanded.count for expanded in (*before, cut)),
            "declarations": len(before),
        },
        loads=paper.loads,
    )


def _tidy(text: str) -> str:
    return _EMPTY_LINES.sub("\n\n", _SPACES.sub("", text)).strip()


def own_names(text: str) -> frozenset[str]:
    """Return the names that a cut itself defines."""
    table = MacroTable()
    reading = Reading(text, Braces(text), table, 0)
    scanner = Scanner(text)
    while token := scanner.next():
        if token.kind is TokenKind.WORD and token.name in DEFINITIONS:
            end = read_definition(token.name, token.end, reading)
            scanner.position = max(scanner.position, end or 0)
    return table.names()
