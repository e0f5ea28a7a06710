"""Reads an answer statement by statement and grades the candidates that it names.

What stands before a candidate announces it ("the answer is C", "so C") or excludes it ("not A", "rather than
A"); what stands behind it as its verb does the same ("C is the best match", "A is wrong").
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Generic, Protocol, Self, TypeVar

from i2s_sdk.tasks.visualwebbench.conclusion_words import Role, Token


class Value(Hashable, Protocol):
    """What a candidate is."""

    def __lt__(self, other: Self, /) -> bool:
        """Return whether it stands before another one."""
        ...


T = TypeVar("T", bound=Value)


@dataclass(frozen=True, slots=True)
class Candidate(Generic[T]):
    """A place of an answer that names a candidate.

    Attributes:
        value: The letter, box or point that it names.
        start: Where it begins.
        end: The place behind its last character.
        doubtful: Whether it is one only where the words before it announce one, as "c" in "answer: c".
    """

    value: T
    start: int
    end: int
    doubtful: bool = False


class Grade(IntEnum):
    """How firmly a statement names a candidate."""

    LISTED = -1
    NONE = 0
    BARE = 1
    COPULA = 2
    MATCHED = 3
    CORRECTED = 4
    CONSEQUENCE = 5
    CONCLUDED = 6


@dataclass(slots=True)
class Mention(Generic[T]):
    """A candidate as an answer names it once.

    Attributes:
        value: The candidate.
        grade: How firmly it is named.
        excluded: Whether it is excluded there.
        leading: Whether the answer begins with it.
        label: Whether it stands at the start of a line, with a mark as behind the label of a list.
    """

    value: T
    grade: Grade = Grade.NONE
    excluded: bool = False
    leading: bool = False
    label: bool = False


@dataclass(slots=True)
class _Statement(Generic[T]):
    """What is known within a sentence.

    Attributes:
        mentions: Its candidates so far.
        group: Candidates that are joined by commas, "and", "or", and stand last.
        cue: The grade of a candidate that stands next.
        concluding: Whether the sentence speaks of the answer.
        labelled: Whether a word such as "option" stands last.
        negated: Whether a candidate that stands next is excluded.
        hedged: Whether what is said is a mere possibility.
        listed: Whether the candidates are listed, as behind "options".
        joined: Whether a comma or "and" stands behind the group.
        subject: The candidates of the clause, as long as a predicate may follow.
        predicated: Whether the verb of the subject was read.
        alone: Whether nothing but candidates and what introduces them was read.
        at_line_start: Whether the sentence begins a line.
        last: Role of the word that stands last.
    """

    at_line_start: bool = False
    mentions: list[Mention[T]] = field(default_factory=list)
    group: list[Mention[T]] = field(default_factory=list)
    cue: Grade = Grade.NONE
    concluding: bool = False
    labelled: bool = False
    negated: bool = False
    hedged: bool = False
    listed: bool = False
    joined: bool = False
    subject: list[Mention[T]] = field(default_factory=list)
    predicated: bool = False
    alone: bool = True
    last: Role = Role.NEWLINE


class StatementReader(Generic[T]):
    """Reads an answer word by word and grades the candidates that it names."""

    def __init__(self) -> None:
        self.mentions: list[Mention[T]] = []
        self._now: _Statement[T] = _Statement(at_line_start=True)
        self._started = False
        #: A candidate with a full stop that begins a line, as long as nothing follows on that line.
        self._waiting: Mention[T] | None = None
        #: Candidates that are statements of their own, one behind the other.
        self._row: list[Mention[T]] = []
        self._differs = False

    def take_candidate(self, candidate: Candidate[T], *, marked: bool, inserted: bool) -> None:
        """Read a candidate.

        Args:
            candidate: The candidate.
            marked: Whether a mark as behind a label follows.
            inserted: Whether it begins what stands in parentheses.
        """
        now = self._now
        first = now.alone and not now.mentions
        announced = now.cue >= Grade.MATCHED or now.labelled or (first and marked and not self._started)
        if candidate.doubtful and not announced:
            self.take(Token(Role.OTHER, ""))
            return
        self._waiting = None
        if inserted and not now.joined:
            self._close(Role.OTHER, "")
        mention = Mention(
            candidate.value,
            excluded=now.negated,
            leading=not self._started and not now.group,
            label=marked and first and now.at_line_start,
        )
        for kept in (self.mentions, now.mentions, now.group):
            kept.append(mention)
        now.joined, now.last = False, Role.OTHER

    def take(self, token: Token) -> None:
        """Read a word or a mark."""
        now, role = self._now, token.role
        if role is not Role.NEWLINE:
            self._waiting = None
        if now.group and (role in (Role.COMMA, Role.JOIN) or token.text == "to"):
            now.joined = True
        elif now.group and now.joined and role in (Role.FILLER, Role.LABEL):
            pass
        else:
            self._close(role, token.text)
            self._follow(role, token.text)
        now.last = role

    def finish(self) -> None:
        """Read the end of the answer."""
        self._end(Role.NEWLINE)

    def _follow(self, role: Role, said: str) -> None:
        """Change what is known of the statement by a word that belongs to no group of candidates."""
        now = self._now
        if role in (Role.END, Role.QUESTION, Role.NEWLINE):
            self._end(role)
            return
        if role not in (Role.FILLER, Role.LABEL):
            now.alone, self._started = False, True
        match role:
            case Role.VERB | Role.COLON | Role.MATCH | Role.HEDGE:
                self._predicate(role)
            case Role.NO | Role.WRONG | Role.NOT | Role.UNLIKE:
                self._exclude(role, said)
            case Role.COMMA:
                kept = now.cue in (Grade.CONSEQUENCE, Grade.CORRECTED)
                self._break(now.cue if kept else Grade.BARE)
            case Role.JOIN:
                self._break(Grade.NONE)
            case Role.CLAUSE:
                self._break(Grade.BARE)
                now.concluding = False
            case Role.PREPOSITION:
                now.subject = []
            case Role.OTHER:
                now.subject, now.cue, now.labelled, now.negated = [], Grade.NONE, False, False
            case _:
                self._announce(role)

    def _announce(self, role: Role) -> None:
        """Read a word that says how the candidates behind it are meant."""
        now = self._now
        match role:
            case Role.LABEL:
                now.labelled, now.cue = True, max(now.cue, Grade.COPULA)
            case Role.LIST:
                now.listed, now.concluding, now.cue = True, False, Grade.NONE
            case Role.CONCLUDE:
                if not self._praise(verb=True):
                    now.cue, now.concluding = Grade.CONSEQUENCE, True
            case Role.BOXED:
                now.cue = Grade.CONCLUDED
            case Role.RIGHT:
                if not self._praise(verb=False):
                    now.concluding = True
            case Role.THUS:
                self._break(Grade.CONSEQUENCE)
                now.concluding = True
            case Role.CORRECTION:
                self._break(Grade.CORRECTED)
            case _:
                pass

    def _predicate(self, role: Role) -> None:
        """Read a verb or a colon: of the candidates before it, or else one that announces those behind it."""
        now = self._now
        if role is Role.HEDGE:
            now.hedged = True
        if role is Role.COLON and len(now.mentions) == 1 and now.mentions[0].label:
            now.subject = now.mentions[:]  # "A: the logo - no" speaks of A
        if now.subject:
            now.predicated = True
            if role is Role.MATCH:
                self._raise(Grade.MATCHED)
                now.subject = []
        elif now.listed or now.hedged:
            now.cue = Grade.NONE
        elif now.concluding:
            now.cue = Grade.CONCLUDED
        elif now.cue not in (Grade.CONSEQUENCE, Grade.CORRECTED):
            labelled = role is Role.COLON and now.labelled
            now.cue = Grade.MATCHED if labelled else Grade.COPULA

    def _praise(self, *, verb: bool) -> bool:
        """Conclude with the subject of a word for what is right, and return whether there is one."""
        now = self._now
        if not now.subject or (verb and not now.predicated):
            return False
        self._raise(Grade.CONCLUDED)
        return True

    def _raise(self, grade: Grade) -> None:
        now = self._now
        if len({one.value for one in now.subject}) == 1 and not now.hedged and not now.negated:
            for one in now.subject:
                one.grade = max(one.grade, grade)

    def _exclude(self, role: Role, said: str) -> None:
        """Read a word that excludes the subject, or what stands behind it."""
        now = self._now
        contracted = said.endswith(("n't", "n’t", "cannot"))
        if role in (Role.NO, Role.WRONG) or (role is Role.NOT and (now.predicated or contracted)):
            for one in now.subject:
                one.excluded = True
            if role is Role.NO and not now.subject:
                self._break(Grade.CORRECTED)
            now.subject = []
        now.negated = role in (Role.NOT, Role.UNLIKE)

    def _break(self, cue: Grade) -> None:
        """Begin another clause of the statement."""
        now = self._now
        now.subject, now.predicated, now.negated, now.hedged, now.labelled = [], False, False, False, False
        now.listed, now.cue = False, cue

    def _close(self, by: Role, said: str) -> None:
        """End the group of candidates, which becomes the subject of the clause."""
        now = self._now
        group, joined = now.group, now.joined
        if not group:
            return
        self._started = True
        now.group, now.joined = [], False
        single = by in (Role.VERB, Role.MATCH, Role.NOT) and _is_singular(said)
        if len(group) > 1 and not joined and (single or _repeats(group)):
            self._grade(group[:-1], Role.COMMA)  # "C, A is the logo": the last one begins another clause
            self._break(Grade.NONE)
            group = group[-1:]
            group[0].excluded = False
        self._grade(group, Role.COMMA if joined else by)
        if joined:
            self._break(Grade.NONE)
        else:
            now.subject, now.predicated, now.negated, now.cue = group, False, False, Grade.NONE

    def _grade(self, group: Sequence[Mention[T]], by: Role) -> None:
        """Grade the candidates of a group by what stands before it and the role of what stands behind."""
        now = self._now
        several = len({one.value for one in group}) > 1
        grade = Grade.NONE if several or now.hedged else _followed(now.cue, by)
        if grade is Grade.NONE and now.listed:
            grade = Grade.LISTED
        if grade >= Grade.CONSEQUENCE and not now.negated:
            now.concluding = False
        for one in group:
            one.grade = grade
            one.leading = one.leading and not several and by is not Role.HEDGE

    def _end(self, by: Role) -> None:
        """End the statement."""
        now = self._now
        self._close(by, "")
        if by is Role.QUESTION:
            for one in now.mentions:
                one.grade, one.leading = Grade.NONE, False
        elif now.mentions and now.alone and not now.hedged and now.mentions[-1].grade < Grade.CONCLUDED:
            if by is Role.END and now.at_line_start:
                self._waiting = now.mentions[-1]
            elif len({one.value for one in now.mentions}) == 1:
                self._settle_row(now.mentions[-1])
        elif self._waiting is not None:
            self._settle_row(self._waiting)
            self._waiting = None
        elif now.mentions or not now.alone:
            self._row, self._differs = [], False
        self._now = _Statement(at_line_start=by is Role.NEWLINE)
        if by is Role.NEWLINE and not now.mentions and now.last in _OPEN:
            self._now.cue, self._now.concluding, self._now.labelled = now.cue, now.concluding, now.labelled
        self._now.listed = now.listed and by is not Role.NEWLINE

    def _settle_row(self, mention: Mention[T]) -> None:
        """Conclude with a candidate that is a whole statement, unless different ones follow each other."""
        self._row.append(mention)
        if not self._differs and mention.value == self._row[0].value:
            mention.grade = Grade.CONCLUDED
            return
        for one in [mention] if self._differs else self._row:
            one.grade, one.leading = Grade.NONE, False
        self._differs = True


#: Words at the end of a line whose statement goes on in the next.
_OPEN = (Role.COLON, Role.CONCLUDE, Role.VERB, Role.BOXED)
_ENDS = (Role.END, Role.NEWLINE, Role.QUESTION, Role.COMMA, Role.CLAUSE, Role.NOT, Role.UNLIKE)


def _followed(cue: Grade, by: Role) -> Grade:
    """Return the grade of a candidate by what announces it and the role of what stands behind it."""
    predicate = by in (Role.VERB, Role.MATCH, Role.HEDGE)
    match cue:
        case Grade.CONSEQUENCE:
            return cue if predicate else Grade.CONCLUDED
        case Grade.CORRECTED:
            return Grade.NONE if predicate else Grade.CONCLUDED
        case Grade.COPULA | Grade.MATCHED if predicate or by is Role.COLON:
            return Grade.NONE
        case Grade.BARE if by not in _ENDS:
            return Grade.NONE
    return cue


def _repeats(group: Sequence[Mention[T]]) -> bool:
    """Return whether the last of several is named again, as in "of A, B and C, B"."""
    return len({one.value for one in group[:-1]}) > 1 and group[-1].value in [one.value for one in group[:-1]]


def _is_singular(verb: str) -> bool:
    return verb.endswith(("s", "sn't"))
