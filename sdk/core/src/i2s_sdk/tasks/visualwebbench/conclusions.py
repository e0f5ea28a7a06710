"""The candidate that an answer settles on: of the letters, boxes or points that it names.

An answer is read statement by statement, and the candidates that it names are graded. What stands before a
candidate announces it ("the answer is C", "so C") or excludes it ("not A", "rather than A"); what stands
behind it as its verb does the same ("C is the best match", "A is wrong").
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from itertools import pairwise
from typing import Generic, Protocol, Self, TypeVar

#: Characters of scripts that put no space between words; each other one is part of a word of letters.
UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LETTER = rf"[^\W_{UNSPACED}]"


class Role(Enum):
    """The role of a word or a mark in a statement about candidates."""

    CONCLUDE = auto()  # "answer", "choose": a candidate behind it is the conclusion
    BOXED = auto()  # LaTeX's \boxed
    THUS = auto()  # "therefore"
    CORRECTION = auto()  # "wait", "actually"
    LABEL = auto()  # "option", "element": stands before a candidate
    VERB = auto()  # "is"
    MATCH = auto()  # "matches"
    HEDGE = auto()  # "could", "if": what it says is not a conclusion
    RIGHT = auto()  # "correct", "best"
    WRONG = auto()  # "wrong", "ruled out"
    NO = auto()  # "No," as a sentence
    NOT = auto()  # "not": excludes what follows, or the subject of its verb
    UNLIKE = auto()  # "than", "neither": excludes what follows
    LIST = auto()  # "options": lists candidates
    JOIN = auto()  # "and", "or"
    CLAUSE = auto()  # "because", "but": another statement begins
    FILLER = auto()  # "the", "clearly"
    PREPOSITION = auto()  # "on", "with", "which"
    COLON = auto()
    COMMA = auto()
    END = auto()
    QUESTION = auto()
    NEWLINE = auto()
    OTHER = auto()


_WORDS = {
    Role.CONCLUDE: "answer choice selection response prediction decision verdict guess solution match pick "
    "choose chose chosen choosing select selected selecting click clicking tap prefer say go opt "
    "antwort réponse respuesta risposta resposta ответ elijo wähle choisis",
    Role.THUS: "so therefore thus hence conclusion finally overall consequently accordingly ergo",
    Role.CORRECTION: "wait actually correction hmm precisely refined revised corrected",
    Role.LABEL: "option label labeled labelled letter element id candidate marked marker item annotation "
    "annotated tagged box bbox bounding region point coordinate coordinates position location "
    "opción élément",
    Role.VERB: "is be it's that's equals being has have do does can would will should must seems looks "
    "appears shows contains refers leads points indicates are seem look ist est es è é lautet",
    Role.MATCH: "matches fits corresponds describes represents satisfies suits fulfills meets",
    Role.HEDGE: "could might may maybe perhaps possibly either was were if whether when once initially first",
    Role.RIGHT: "correct best better closest closer yes final richtige richtig correcte bonne correcta "
    "correcto",
    Role.WRONG: "wrong incorrect false eliminated excluded rejected distractor irrelevant unlikely "
    "implausible unrelated",
    Role.NOT: "not never isn't aren't doesn't don't wasn't won't can't cannot couldn't wouldn't shouldn't "
    "didn't nicht pas",
    Role.UNLIKE: "no neither nor without except unlike than eliminate eliminating exclude excluding",
    Role.LIST: "options choices answers candidates elements labels letters boxes points",
    Role.JOIN: "and or und oder et ou vs versus through",
    Role.CLAUSE: "because since while whereas although though but however where",
    Role.FILLER: "the a an my our your this it i i'd i'll i'm we you think believe just only clearly simply "
    "definitely probably likely certainly indeed then both 2d die der das la le el eine une",
    Role.PREPOSITION: "to with on for of at by in me from like over that which who as",
}
_ROLES = {word: role for role, words in _WORDS.items() for word in words.split()}
#: Words of scripts without spaces, and marks.
_SIGNS = {
    Role.NOT: ("不是", "不选", "并非", "而不是"),
    Role.CONCLUDE: ("答案", "答え", "정답", "选择", "选"),
    Role.THUS: ("所以", "因此", "故", "∴", "⇒", "=>"),
    Role.LABEL: ("选项",),
    Role.RIGHT: ("正确", "✅", "✓", "✔"),
    Role.WRONG: ("错误", "不对", "❌", "✗", "✘"),
    Role.VERB: ("是", "为", "は"),
    Role.JOIN: ("和", "或", "&", "/"),
    Role.COMMA: (",", "，", "、", ";", "；"),
    Role.QUESTION: ("?", "？"),
    Role.COLON: (":", "：", "=", "→", "->", "–", "—"),
}
_SIGN_ROLES = {sign: role for role, signs in _SIGNS.items() for sign in signs}
_LONGEST_FIRST = sorted(_SIGN_ROLES, key=len, reverse=True)
_PHRASES = (
    (Role.NEWLINE, r"\n[\s>*#•-]*(?:\d{1,2}[.)][ \t])?"),
    (Role.END, r"[.!。！]+(?!\w)"),
    (Role.BOXED, r"\\boxed\b"),
    (Role.FILLER, r"\\[a-zA-Z]+|</?[a-zA-Z][^<>\n]{0,40}>|<\|[^|<>\n]{0,40}\|>"),
    (Role.UNLIKE, r"\b(?:instead[ ]of|rather[ ]than|rul(?:e|es|ing)[ ]out)\b"),
    (Role.WRONG, r"\bruled[ ]out\b|\bout(?=\s*(?:[.,;!\n]|\Z))"),
    (Role.NO, r"\bno(?=\s*(?:[,.!;:\n–—]|\Z))"),
    (
        Role.RIGHT,
        r"\b(?:the[ ]one(?![ ]of\b)"
        r"|right(?=\s*(?:[.,;!)]|\Z|(?:answer|choice|option|one|match|element|label)\b))"
        r"|most[ ](?:likely|relevant|suitable|appropriate|accurate|closely|similar|fitting|plausible|probable"
        r"|logical))\b",
    ),
    (Role.COLON, r"(?<=\s)-(?=\s)"),
)
_TOKEN = re.compile(
    "|".join(f"(?P<{role.name}_>{pattern})" for role, pattern in _PHRASES)
    + f"|(?P<sign>{'|'.join(map(re.escape, _LONGEST_FIRST))})"
    + rf"|(?P<word>{_LETTER}+(?:['’]{_LETTER}+)*)|(?P<other>[{UNSPACED}])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AnswerToken:
    """A word or a mark that has a role."""

    #: The role of the word.
    role: Role
    #: The word of the answer, in lower case; its apostrophe is straight.
    text: str


def tokens(text: str, start: int, end: int) -> Iterator[AnswerToken]:
    """Yield the words and marks between two places of a text; marks without a role are left out."""
    for match in _TOKEN.finditer(text, start, end):
        said, kind = match[0].lower().replace("’", "'"), match.lastgroup or ""
        if kind == "word":
            yield AnswerToken(_ROLES.get(said, Role.OTHER), said)
        elif kind == "sign":
            yield AnswerToken(_SIGN_ROLES[said], said)
        else:
            yield AnswerToken(Role[kind.removesuffix("_")] if kind != "other" else Role.OTHER, said)


class CandidateValue(Hashable, Protocol):
    """The value of a candidate."""

    def __lt__(self, other: Self, /) -> bool:
        """Return whether it stands before another one."""
        ...


T = TypeVar("T", bound=CandidateValue)


@dataclass(frozen=True, slots=True)
class AnswerCandidate(Generic[T]):
    """A place of an answer that names a candidate."""

    #: The letter, box or point that it names.
    value: T
    #: Where it begins.
    start: int
    #: The place behind its last character.
    end: int
    #: Whether it is one only where the words before it announce one, as "c" in "answer: c".
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
    """A candidate as an answer names it once."""

    #: The candidate.
    value: T
    #: How firmly it is named.
    grade: Grade = Grade.NONE
    #: Whether it is excluded there.
    excluded: bool = False
    #: Whether the answer begins with it.
    leading: bool = False
    #: Whether it stands at the start of a line, with a mark as behind the label of a list.
    label: bool = False


@dataclass(slots=True)
class _Statement(Generic[T]):
    """The state of the reading of a sentence."""

    #: Whether the sentence begins a line.
    at_line_start: bool = False
    #: Its candidates so far.
    mentions: list[Mention[T]] = field(default_factory=list)
    #: Candidates that are joined by commas, "and", "or", and stand last.
    group: list[Mention[T]] = field(default_factory=list)
    #: The grade of a candidate that stands next.
    cue: Grade = Grade.NONE
    #: Whether the sentence speaks of the answer.
    concluding: bool = False
    #: Whether a word such as "option" stands last.
    labelled: bool = False
    #: Whether a candidate that stands next is excluded.
    negated: bool = False
    #: Whether what is said is a mere possibility.
    hedged: bool = False
    #: Whether the candidates are listed, as behind "options".
    listed: bool = False
    #: Whether a comma or "and" stands behind the group.
    joined: bool = False
    #: The candidates of the clause, as long as a predicate may follow.
    subject: list[Mention[T]] = field(default_factory=list)
    #: Whether the verb of the subject was read.
    predicated: bool = False
    #: Whether nothing but candidates and what introduces them was read.
    alone: bool = True
    #: Role of the word that stands last.
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

    def take_candidate(self, candidate: AnswerCandidate[T], *, marked: bool, inserted: bool) -> None:
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
            self.take(AnswerToken(Role.OTHER, ""))
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

    def take(self, token: AnswerToken) -> None:
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
        if len({mention.value for mention in now.subject}) == 1 and not now.hedged and not now.negated:
            for candidate in now.subject:
                candidate.grade = max(candidate.grade, grade)

    def _exclude(self, role: Role, said: str) -> None:
        """Read a word that excludes the subject, or what stands behind it."""
        now = self._now
        contracted = said.endswith(("n't", "n’t", "cannot"))
        if role in (Role.NO, Role.WRONG) or (role is Role.NOT and (now.predicated or contracted)):
            for candidate in now.subject:
                candidate.excluded = True
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
        for mention in group:
            mention.grade = grade
            mention.leading = mention.leading and not several and by is not Role.HEDGE

    def _end(self, by: Role) -> None:
        """End the statement."""
        now = self._now
        self._close(by, "")
        if by is Role.QUESTION:
            for mention in now.mentions:
                mention.grade, mention.leading = Grade.NONE, False
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
        for row_mention in [mention] if self._differs else self._row:
            row_mention.grade, row_mention.leading = Grade.NONE, False
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
    return len({mention.value for mention in group[:-1]}) > 1 and group[-1].value in [
        one.value for one in group[:-1]
    ]


def _is_singular(verb: str) -> bool:
    return verb.endswith(("s", "sn't"))


_LABEL_MARK = re.compile(r"[*_`\"' ]{0,4}[.):\]–-]")


@dataclass(frozen=True, slots=True)
class Conclusion(Generic[T]):
    """The candidate that an answer settles on."""

    #: The candidate; None if there is none.
    value: T | None
    #: The different candidates that are named and not excluded, in their order.
    named: tuple[T, ...] = ()
    #: The different candidates that are excluded, in their order.
    excluded: tuple[T, ...] = ()


def conclusion(text: str, candidates: Iterable[AnswerCandidate[T]]) -> Conclusion[T]:
    """Return what an answer settles on, in time proportional to its length.

    Args:
        text: The answer.
        candidates: Its places that name candidates, in order and apart.
    """
    reader: StatementReader[T] = StatementReader()
    place = 0
    marks: list[T] = []
    for candidate in candidates:
        for token in tokens(text, place, candidate.start):
            reader.take(token)
        inserted = text.count("(", place, candidate.start) > text.count(")", place, candidate.start)
        marked = _LABEL_MARK.match(text, candidate.end) is not None
        if marked and not candidate.doubtful:
            marks.append(candidate.value)
        reader.take_candidate(candidate, marked=marked, inserted=inserted)
        place = candidate.end
    for token in tokens(text, place, len(text)):
        reader.take(token)
    reader.finish()
    return _settled(reader.mentions, listed=_is_enumeration(marks))


def _settled(mentions: Sequence[Mention[T]], *, listed: bool) -> Conclusion[T]:
    """Return the conclusion from all mentions, in this order.

    The last conclusion; the last candidate that is named as a consequence; the one that matches or is
    labelled; the one that begins the answer, unless a list of the candidates does; the one that a copula
    gives ("it is C"); the only one that is named. A mention does not count if its candidate is excluded
    there or later.
    """
    excluded = {mention.value: place for place, mention in enumerate(mentions) if mention.excluded}
    live = [mention for place, mention in enumerate(mentions) if excluded.get(mention.value, -1) < place]
    named = tuple(dict.fromkeys(mention.value for mention in live))

    def settle(value: T) -> Conclusion[T]:
        return Conclusion(value, named, tuple(excluded))

    for grade in (Grade.CONCLUDED, Grade.CONSEQUENCE):
        last = [mention.value for mention in live if mention.grade is grade][-1:]
        if last:
            return settle(last[0])
    matched = {mention.value for mention in live if mention.grade is Grade.MATCHED}
    if len(matched) == 1:
        return settle(matched.pop())
    if not listed and not _is_list(mentions):
        for candidate in live:
            if candidate.leading:
                return settle(candidate.value)
    for least in (Grade.BARE, Grade.NONE):
        left = {mention.value for mention in live if mention.grade >= least}
        if len(left) == 1:
            return settle(left.pop())
    return Conclusion(None, named, tuple(excluded))


def _is_list(mentions: Sequence[Mention[T]]) -> bool:
    """Return whether an answer begins as a list of the candidates in their order."""
    labels = [mention for mention in mentions if mention.label][:2]
    return len(labels) > 1 and labels[0].leading and labels[0].value < labels[1].value


def _is_enumeration(marked: Sequence[T]) -> bool:
    """Return whether the candidates with a mark behind them are three or more, in their order."""
    return len(marked) > 2 and all(one < other for one, other in pairwise(marked))
