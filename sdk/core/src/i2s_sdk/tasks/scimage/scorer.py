"""The scorer of ScImage: whether there is a figure, and indicators of what the prompt names in it.

The benchmark is judged by people. None of these values is a score of the paper: ``compiled`` is what the
paper counts as not failed, and the others are indicators that need no person. Each indicator is the share of
the named things that are among the objects of the figure, None if the prompt names none. They say nothing of
whether the things are where they should be.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from i2s_sdk.json_text import read_json
from i2s_sdk.scoring.scorer import Aggregate, Metric, MetricValues, NotUsable, Scorable
from i2s_sdk.tasks.chart.colors import Lab, difference, lab, on_white
from i2s_sdk.tasks.chart.scorer import figure_from_text, figure_to_text
from i2s_sdk.tasks.scimage.document import output_of
from i2s_wire.render.figure import Figure, Mark, MarkKind

#: What services replace marks of direction by, which are not part of a label.
_REPLACED = "\ufffd"


@dataclass(frozen=True, slots=True)
class RenderedFigure:
    """A figure that was rendered."""

    #: Whether all of its pixels have one color, so that it is blank.
    one_color: bool = False
    #: Its objects; None for TikZ.
    figure: Figure | None = None
    #: Text of the page; of TikZ.
    page_text: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the figure, in the form in which labels are compared."""
        texts = (self.page_text,) if self.figure is None else (text.text for text in self.figure.texts)
        return tuple(map(comparable, texts))

    def to_text(self) -> str:
        """Return the figure as one line of JSON."""
        figure = figure_to_text(self.figure) if self.figure is not None else None
        return json.dumps({"one_color": self.one_color, "figure": figure, "page_text": self.page_text})

    @classmethod
    def from_text(cls, text: str) -> RenderedFigure:
        """Return the figure that ``to_text`` was called of.

        Runs of earlier versions have the objects alone, and nothing for TikZ.

        Raises:
            ValueError: It is not such a text.
        """
        if not text:
            return cls()
        plain = read_json(text)
        if not isinstance(plain, dict) or "one_color" not in plain:
            return cls(figure=figure_from_text(text))
        figure = figure_from_text(plain["figure"]) if plain["figure"] is not None else None
        return cls(bool(plain["one_color"]), figure, str(plain["page_text"]))


def comparable(text: str) -> str:
    """Return a text in the form in which labels are compared.

    That is NFKC with case folded and one blank between words, without dollar signs and invisible characters.
    """
    normal = unicodedata.normalize("NFKC", text.replace("$", ""))
    kept = "".join(one for one in normal if unicodedata.category(one) != "Cf" and one != _REPLACED)
    return " ".join(kept.split()).casefold()


#: Colour difference up to which a colour of the figure is the one that is named.
COLOR_REACH = 30.0

_QUOTED = re.compile(
    "“([^”]{1,80})”|„([^“”]{1,80})[“”]|«([^»]{1,80})»|「([^」]{1,80})」|"
    r"\"([^\"]{1,80})\"|(?<!\w)'([^']{1,80})'(?!\w)"
)
#: Names of colours in English, German, Chinese and Farsi, and what they look like.
_COLORS = {
    "#ff0000": ("red", "rot", "红", "قرمز"),
    "#0000ff": ("blue", "blau", "蓝", "آبی"),
    "#008000": ("green", "grün", "绿", "سبز"),
    "#ffff00": ("yellow", "gelb", "黄", "زرد"),
    "#ffa500": ("orange", "orange", "橙", "نارنجی"),
    "#800080": ("purple", "violett", "lila", "紫", "بنفش"),
    "#ffc0cb": ("pink", "rosa", "粉", "صورتی"),
    "#808080": ("gray", "grey", "grau", "灰", "خاکستری"),
    "#000000": ("black", "schwarz", "黑", "سیاه", "مشکی"),
    "#a52a2a": ("brown", "braun", "棕", "قهوه‌ای"),
}
#: Letters, with the zero-width non-joiner that parts letters within words of Farsi.
_WORD = re.compile("[^\\W\\d_]+(?:\u200c[^\\W\\d_]+)*")
#: Endings of adjectives in German.
_ENDINGS = ("", "e", "en", "er", "es", "em")
#: Other colours that contain the name of a colour, in Chinese.
_WITHIN = {"红": ("粉红", "紫红", "橙红", "橘红", "棕红")}
_NUMBERS = {
    word: number
    for number, words in enumerate(
        ("", "a an one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
    for word in words.split()
}
_SHAPES = {
    "circle": "circle",
    "square": "square",
    "rectangle": "rectangle",
    "triangle": "triangle",
    "pentagon": "pentagon",
    "hexagon": "hexagon",
    "ellipse": "ellipse",
}
_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS)})"
#: A number, up to three words that are not numbers ("a row of three circles" counts three), and a shape.
_COUNTED = re.compile(
    rf"\b({_NUMBER})\s+(?:(?!{_NUMBER}\b)[a-z-]+\s+){{0,3}}?({'|'.join(_SHAPES)})(?:e?s)?\b",
    re.IGNORECASE,
)
_SYMBOLS = {"o": "circle", "s": "square", "^": "triangle", "p": "pentagon", "h": "hexagon"}
_OF_CORNERS = {3: "triangle", 5: "pentagon", 6: "hexagon"}


def labels(prompt: str, texts: Sequence[str]) -> float | None:
    """Return which share of the texts in quotes stands in texts of the figure, whatever the case.

    Args:
        prompt: The prompt.
        texts: Texts of the figure, as ``comparable`` returns them.
    """
    named = {comparable(next(filter(None, found.groups()))) for found in _QUOTED.finditer(prompt)} - {""}
    return _share(sum(any(one in text for text in texts) for one in named), len(named))


def colors(prompt: str, figure: Figure) -> float | None:
    """Return which share of the named colours some mark of the figure has."""
    words = set(_WORD.findall(prompt.casefold()))
    named = [
        lab(*on_white(f"{color}ff"))
        for color, names in _COLORS.items()
        if any(_is_named(name, prompt, words) for name in names)
    ]
    shown = _shown_colors(figure)
    return _share(
        sum(any(difference(one, other) <= COLOR_REACH for other in shown) for one in named), len(named)
    )


def _is_named(name: str, prompt: str, words: set[str]) -> bool:
    if ord(name[0]) > 0x2E80:  # Chinese has no blanks between words
        for other in _WITHIN.get(name, ()):
            prompt = prompt.replace(other, "")
        return name in prompt
    return any(name + ending in words for ending in _ENDINGS)


def objects(prompt: str, figure: Figure) -> float | None:
    """Return for which share of the shapes that the prompt counts in English the figure has that number."""
    wanted: Counter[str] = Counter()
    for counted in _COUNTED.finditer(prompt):
        word = counted[1].lower()
        wanted[_SHAPES[counted[2].lower()]] += int(word) if word.isdigit() else _NUMBERS[word]
    drawn = Counter(map(_shape, figure.marks))
    for mark in figure.marks:
        if mark.kind is MarkKind.POINTS:  # symbols of a scatter plot are drawn as shapes too
            symbol = _SYMBOLS.get(mark.marker)
            drawn[symbol or ""] += mark.total if symbol else 0
    return _share(sum(drawn[name] == number for name, number in wanted.items()), len(wanted))


def _shape(mark: Mark) -> str:
    if mark.kind is not MarkKind.SHAPE:
        return ""
    name = mark.shape.casefold()
    corners = len({(round(x, 6), round(y, 6)) for x, y in zip(mark.x, mark.y, strict=False)})
    if name in ("circle", "ellipse", "rectangle"):
        wide, high = _extent(mark.x), _extent(mark.y)
        if name == "rectangle":
            return "square" if _nearly(wide, high) else "rectangle"
        return "circle" if _nearly(wide, high) else "ellipse"
    if corners == 4:
        return "square" if _nearly(_extent(mark.x), _extent(mark.y)) else "rectangle"
    return _OF_CORNERS.get(corners, "")


def _extent(values: tuple[float, ...]) -> float:
    return max(values) - min(values) if values else 0.0


def _nearly(first: float, other: float) -> bool:
    return abs(first - other) <= 0.01 * max(first, other)


def _shown_colors(figure: Figure) -> list[Lab]:
    colors = []
    names = {name for mark in figure.marks for name in (*mark.colors[:50], *mark.edge_colors[:50])}
    for name in sorted(names)[:200]:
        try:
            colors.append(lab(*on_white(name)))
        except ValueError:
            continue
    return colors


def _share(count: int, of: int) -> float | None:
    return count / of if of else None


#: Indicators that need the objects of a figure.
OF_OBJECTS: dict[str, Callable[[str, Figure], float | None]] = {"colors": colors, "objects": objects}

#: Names of all indicators, in the order of tables.
INDICATORS = ("labels", *OF_OBJECTS)


#: Name of the scorer.
NAME = "scimage"
_COMPILED = Metric(
    "compiled",
    unusable=0.0,
    aggregate=Aggregate.SHARE,
    summary="Share of answers with a figure that is not blank, after repair.",
)
_SUMMARIES = {
    "labels": "Share of the texts in quotes of the prompt that are in texts of the figure.",
    "colors": "Share of the colours that the prompt names and a mark of the figure has.",
    "objects": "Share of the shapes that the prompt counts and the figure has that number of.",
}
_METRICS = (_COMPILED, *(Metric(name, unusable=None, summary=_SUMMARIES[name]) for name in INDICATORS))
#: The most of a prompt that is kept with a sample, for reports and judge models.
PROMPT_CHARACTERS = 5000
_NOT_KNOWN = "the objects of TikZ figures are not known"


@dataclass(frozen=True, slots=True)
class ScimageScorer:
    """Counts figures, and looks for what the prompt names among the objects of those of Python."""

    name: str = NAME
    version: str = "2"
    metrics: tuple[Metric, ...] = _METRICS
    in_worker: bool = True

    def applies(self, sample: Scorable) -> bool:
        """Return that every instance has what the values need."""
        return True

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        """Return the values of code with a figure; code of the kind that was not asked for is not usable."""
        wanted, output = sample.inputs["output"], output_of(sample.structure or "")
        if output != wanted:
            return NotUsable(f"the answer is {output}, and {wanted} was asked for")
        metrics: dict[str, float | None] = {"compiled": 1.0}
        undefined: dict[str, str] = {}
        shown, prompt = RenderedFigure.from_text(sample.text or ""), sample.inputs["prompt"]
        if shown.one_color:
            return NotUsable("the figure is blank: it has one color")
        metrics["labels"] = labels(prompt, shown.texts)
        for name, indicator in OF_OBJECTS.items():
            metrics[name] = indicator(prompt, shown.figure) if shown.figure is not None else None
            if shown.figure is None:
                undefined[name] = _NOT_KNOWN
        for name in INDICATORS:
            if metrics[name] is None:
                undefined.setdefault(name, "the prompt names none")
        return MetricValues(metrics, undefined, detail=_detail(sample))

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return that nothing compiled."""
        reasons = dict.fromkeys(INDICATORS, "there is no figure")
        return MetricValues({"compiled": 0.0, **dict.fromkeys(INDICATORS)}, reasons, detail=_detail(sample))


def _detail(sample: Scorable) -> dict[str, str]:
    return {"prompt": str(sample.inputs.get("prompt", ""))[:PROMPT_CHARACTERS]}
