"""The words around a candidate that say whether an answer settles on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

#: Characters of scripts that put no space between words; each other one is part of a word of letters.
UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LETTER = rf"[^\W_{UNSPACED}]"


class Role(Enum):
    """What a word or a mark does in a statement about candidates."""

    CONCLUDE = auto()  # "answer", "choose": a candidate behind it is the conclusion
    BOXED = auto()  # LaTeX's \boxed
    THUS = auto()  # "therefore"
    CORRECTION = auto()  # "wait", "actually"
    LABEL = auto()  # "option", "element": stands before a candidate
    VERB = auto()  # "is"
    MATCH = auto()  # "matches"
    HEDGE = auto()  # "could", "if": what it says is no conclusion
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
class Token:
    """A word or a mark that has a role.

    Attributes:
        role: The role of the word.
        text: The word of the answer, in lower case; its apostrophe is straight.
    """

    role: Role
    text: str


def tokens(text: str, start: int, end: int) -> Iterator[Token]:
    """Yield the words and marks between two places of a text; marks without a role are left out."""
    for match in _TOKEN.finditer(text, start, end):
        said, kind = match[0].lower().replace("’", "'"), match.lastgroup or ""
        if kind == "word":
            yield Token(_ROLES.get(said, Role.OTHER), said)
        elif kind == "sign":
            yield Token(_SIGN_ROLES[said], said)
        else:
            yield Token(Role[kind.removesuffix("_")] if kind != "other" else Role.OTHER, said)
