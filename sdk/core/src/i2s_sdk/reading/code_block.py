"""The code of an answer: which of its blocks is meant, or what of an answer without a fence is code."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from i2s_sdk.reading.blocks import Block, fenced_blocks
from i2s_sdk.reading.wrappers import unmarked, unwrapped_answer, unwrapped_elements

_SENTENCE_END = re.compile(r"[.:!?)…。：！？）*`]\s*\Z")
_ITEM = re.compile(r"\s*(?:[-*+•>#]|\d{1,3}[.)])\s")


def without_prose(text: str, is_code_line: Callable[[str], bool], languages: Collection[str]) -> str:
    """Return the lines from the first to the last one of code, if all others are prose, else the whole text.

    Prose are paragraphs that end as sentences do, items of lists, headings, and the name of a language.

    Args:
        text: Answer without fences.
        is_code_line: Whether a line can only be code.
        languages: Names of the language.
    """
    lines = text.split("\n")
    places = [number for number, line in enumerate(lines) if is_code_line(line)]
    if not places:
        return text
    outside = "\n".join(lines[: places[0]]), "\n".join(lines[places[-1] + 1 :])
    if not all(
        _is_prose(paragraph, languages) for part in outside for paragraph in re.split(r"\n\s*\n", part)
    ):
        return text
    return textwrap.dedent("\n".join(lines[places[0] : places[-1] + 1])).strip()


def _is_prose(paragraph: str, languages: Collection[str]) -> bool:
    text = paragraph.strip()
    if not text or text.lower() in languages:
        return True
    last = text.rpartition("\n")[2]
    return any((_SENTENCE_END.search(last), _ITEM.match(last), _ITEM.match(text)))


def _last(blocks: Sequence[str]) -> tuple[int, ...]:
    return (len(blocks) - 1,)


def _always(code: str) -> bool:
    return True


def _all(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class CodeRules:
    """The rules by which the code of one language is read out of an answer."""

    #: Name of the language, for messages.
    name: str
    #: Words of info strings that mean it, in lower case.
    languages: Collection[str]
    #: Whether a block draws something; one that only loads packages or installs something does not.
    has_body: Callable[[str], bool] = field(default=_always)
    #: The blocks, of those that are possible and in order, that are one program: their numbers from 0. There
    #: is at least one, and all are of one language.
    program: Callable[[Sequence[str]], tuple[int, ...]] = field(default=_last)
    #: Whether an answer without fences can be code, and is not only prose.
    is_code: Callable[[str], bool] = field(default=_always)
    #: The code of an answer without fences, without prose around it.
    stretch: Callable[[str], str] = field(default=_all)
    #: Words of info strings that mean another language: no block of it is code of this one.
    others: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class ReadCode:
    """The code of an answer, or why it has none."""

    #: The code, trimmed; empty if there is none.
    code: str = ""
    #: Why there is none; empty if there is some.
    fault: str = ""
    #: Whether it stood in a block.
    fenced: bool = False
    #: Whether it stood in prose, JSON or elements of HTML instead, which are left out.
    excerpt: bool = False
    #: Whether all of its blocks are closed; true without blocks.
    closed: bool = True
    #: Number of blocks of the answer.
    blocks: int = 0
    #: Numbers of the blocks that are the code, from 1.
    taken: tuple[int, ...] = ()


def read_code(text: str, rules: CodeRules) -> ReadCode:
    """Return the code of an answer.

    Blocks of the language come before blocks that name none, and those before blocks of another language.
    Among these, complete ones come before one that was cut off, and ones with a body before others; of the
    rest the last is taken, with those that belong to the same program.

    Without blocks the answer is the code, or a stretch of it that prose, JSON or elements of HTML surround.

    Args:
        text: Answer without reasoning.
        rules: Rules of the language.
    """
    given = _dedented(text)
    if not given:
        return ReadCode(fault="the completion is empty")
    text = unwrapped_answer(given, rules.languages)
    blocks = fenced_blocks(text)
    if not blocks:
        if "```" in text and not text.strip("`~ \n\t").strip():
            return ReadCode(fault="the completion has fences with nothing between them")
        whole = unmarked(unwrapped_elements(text, rules.languages))
        if not rules.is_code(whole):
            return ReadCode(fault=f"the answer is prose and no {rules.name}")
        code = rules.stretch(whole)
        return ReadCode(code, excerpt=code != unmarked(given))
    possible = _possible(blocks, rules)
    if not possible:
        return ReadCode(fault=f"the answer is {blocks[-1].language} and no {rules.name}")
    contents = [blocks[number].content for number in possible]
    program = rules.program(contents)
    taken = [possible[number] for number in program]
    return ReadCode(
        "\n".join(contents[number].strip("\n") for number in program).strip(),
        fenced=True,
        closed=all(blocks[number].closed for number in taken),
        blocks=len(blocks),
        taken=tuple(number + 1 for number in taken),
    )


def _dedented(text: str) -> str:
    """Return an answer without white space around it, and without the indentation of all of its lines."""
    lines = text.strip("\r\n")
    return (textwrap.dedent(lines) if lines[:1].isspace() else lines).strip()


def _possible(blocks: Sequence[Block], rules: CodeRules) -> list[int]:
    """Return the numbers of the blocks among which ``program`` chooses; none of other languages."""
    known = [number for number, block in enumerate(blocks) if block.language not in rules.others]
    ranks: list[Callable[[Block], bool]] = [
        lambda block: block.language in rules.languages,
        lambda block: not block.language,
        lambda block: True,
    ]
    for is_of_rank in ranks:
        chosen = [number for number in known if is_of_rank(blocks[number])]
        with_body = [number for number in chosen if rules.has_body(blocks[number].content)]
        if not with_body:
            continue
        complete = [number for number in with_body if blocks[number].closed]
        last = (complete or with_body)[-1]
        # What loads packages may belong to the program; what comes after the last body does not.
        return [number for number in chosen if number <= last and (blocks[number].closed or number == last)]
    return known[-1:]
