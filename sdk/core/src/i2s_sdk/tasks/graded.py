"""Answers graded by construction: the ground truth with a token wrong, with parts missing, or rewritten.

A task says how its ground truth is degraded and which of its forms are as right as itself; the ladder
(``i2s_sdk.run.ladder``) asks every metric for the order that is known by construction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from random import Random

from i2s_sdk.instances.instance import Content


class Rung(StrEnum):
    """How right an answer is, best first; the last three know nothing of the instance and have no order."""

    PERFECT = "perfect"
    ONE_WRONG = "one wrong"
    TENTH_MISSING = "a tenth missing"
    HALF_MISSING = "half missing"
    OTHER = "another instance"
    BLANK = "blank"
    CONSTANT = "constant"
    #: As right as the perfect answer, though not the same.
    EQUIVALENT = "equivalent"


#: The names of equivalent forms that tasks have in common.
SIZE, SPELLING, FONT, REFLOW = "another size", "another spelling", "another font", "another width"

#: Changes a ground truth; None if there is nothing in it to change.
Change = Callable[[Content, Random], Content | None]


@dataclass(frozen=True, slots=True)
class Grade:
    """A change that makes an answer of a known rank out of the ground truth."""

    #: Unique among those of a task; that of a rung, or of an equivalent form.
    name: str
    rung: Rung
    #: Makes the ground truth of the answer, which ``TaskSpec.answer`` writes.
    change: Change


#: Places of tokens in a text.
Spans = Sequence[tuple[int, int]]


def spans_of(pattern: re.Pattern[str], text: str, protected: Iterable[re.Match[str]] = ()) -> Spans:
    """Return where a pattern matches a text, outside of what is protected."""
    taken = [match.span() for match in protected]
    return [
        match.span()
        for match in pattern.finditer(text)
        if not any(start < match.end() and match.start() < end for start, end in taken)
    ]


#: One token that is missing is no worse than one that is wrong, which counts on both sides of an F1.
FEWEST_TOKENS = 2


def without_tokens(
    text: str, spans: Spans, share: float, chance: Random, fewest: int = FEWEST_TOKENS
) -> str | None:
    """Return a text without a stretch of its tokens, somewhere, or at its end if it is half of them.

    Args:
        text: The text.
        spans: Places of its tokens, in order.
        share: The part of the characters of the tokens that is left out, to a whole token.
        chance: Chooses where the stretch begins.
        fewest: Tokens that are left out at least, so that the text is worse than one with a wrong token.

    Returns:
        The text; None if it has so few tokens that this part of them is less than ``fewest``, or all.
    """
    left_out = stretch([end - start for start, end in spans], share, chance, fewest)
    if left_out is None:
        return None
    pieces, at = [], 0
    for begin, end in (spans[place] for place in left_out):
        pieces.append(text[at:begin])
        at = end
    return "".join([*pieces, text[at:]])


def stretch(sizes: Sequence[int], share: float, chance: Random, fewest: int = 1) -> range | None:
    """Return which of some tokens in a row are a share of them, by their sizes; the last ones if it is half.

    Args:
        sizes: Sizes of the tokens, in order.
        share: The part of the sum of the sizes, to a whole token.
        chance: Chooses where the stretch begins.
        fewest: Tokens of the stretch at least.

    Returns:
        Their places; None if there are so few tokens that this part of them is less than ``fewest``, or all.
    """
    wanted = share * sum(sizes)
    if round(share * len(sizes)) < fewest:
        return None
    last = len(sizes) - max(fewest, _length(sizes[::-1], wanted))
    start = last if share >= 0.5 else chance.randint(0, last)
    number = max(fewest, _length(sizes[start:], wanted))
    return range(start, start + number) if number < len(sizes) else None


def _length(sizes: Sequence[int], wanted: float) -> int:
    """Return how many of some tokens, from the first on, have about so many characters."""
    total = 0
    for number, size in enumerate(sizes):
        if total + size / 2 > wanted:
            return number
        total += size
    return len(sizes)


def with_one_wrong(text: str, spans: Spans, chance: Random) -> str | None:
    """Return a text in which one of its tokens is another one of its kind."""
    if not spans:
        return None
    start, end = chance.choice(spans)
    return text[:start] + another_token(text[start:end], chance) + text[end:]


_COMMANDS = (
    r"\alpha \beta \gamma \delta \theta \lambda \mu \pi \rho \sigma \phi \psi \omega",
    r"\leq \geq \neq \approx \equiv \sim",
    r"\sum \prod \int",
    r"\cup \cap \oplus \otimes \times \cdot \pm",
    r"\to \leftarrow \mapsto \Rightarrow",
)
_KINDS = [command.split() for command in _COMMANDS]


def another_token(token: str, chance: Random) -> str:
    """Return another token of the kind of this one: a command, or one letter or digit of it changed."""
    for kind in _KINDS:
        if token in kind:
            return chance.choice([one for one in kind if one != token])
    places = [at for at, letter in enumerate(token) if letter.isalnum()]
    if not places:
        return "=" if token == "+" else "+"  # noqa: S105 - no password
    at = chance.choice(places)
    letters = "123456789" if token[at].isdigit() else "abcdefghijkmnopqrstuvwxyz"  # 0 leads no number
    other = chance.choice([letter for letter in letters if letter != token[at].lower()])
    return token[:at] + (other.upper() if token[at].isupper() else other) + token[at + 1 :]


def rungs(
    spans: Callable[[str], Spans],
    *,
    missing: Callable[[str], Spans] | None = None,
    fewest: Callable[[str], int] = lambda text: FEWEST_TOKENS,
) -> tuple[Grade, ...]:
    """Return the grades of a ground truth that is a text.

    Args:
        spans: Returns the places of its tokens.
        missing: The same of what is left out; None leaves out tokens.
        fewest: Returns how many of these are left out at least; 1 if each draws more than a token.
    """
    of_missing = missing or spans

    def wrong(content: Content, chance: Random) -> Content | None:
        text = content.structure or ""
        return with_structure(content, with_one_wrong(text, spans(text), chance))

    def without(share: float, content: Content, chance: Random) -> Content | None:
        text = content.structure or ""
        left = without_tokens(text, of_missing(text), share, chance, fewest(text))
        return with_structure(content, left)

    return (
        Grade(Rung.ONE_WRONG, Rung.ONE_WRONG, wrong),
        Grade(Rung.TENTH_MISSING, Rung.TENTH_MISSING, partial(without, 0.1)),
        Grade(Rung.HALF_MISSING, Rung.HALF_MISSING, partial(without, 0.5)),
    )


def equivalent(name: str, rewrite: Callable[[str], str | None]) -> Grade:
    """Return the grade of another form of a ground truth that is a text; None or the same text is none."""
    return Grade(
        name,
        Rung.EQUIVALENT,
        lambda content, _: with_structure(content, rewrite(content.structure or "")),
    )


def with_structure(content: Content, text: str | None) -> Content | None:
    """Return content with another text as its ground truth; None for none, or the same."""
    return None if text is None or text == content.structure else replace(content, structure=text)
