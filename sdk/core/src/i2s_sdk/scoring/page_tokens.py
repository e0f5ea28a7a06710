"""What an engine drew on a page, as JSON that scorers compare, and as tokens: characters, rules, images."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from i2s_sdk.json_text import read_json
from i2s_wire.render.page_objects import PageObjectKind, PageObjects

#: The most objects of a page that are written; a page with more says so.
MOST_OBJECTS = 6000

# Characters of the font cmex10 that stand for a larger form of another one, by their numbers.
_PAIRS = "()[]⌊⌋⌈⌉{}⟨⟩"
_LARGE = {
    **dict(enumerate(_PAIRS + "|∥/\\")),
    **dict(enumerate("()" + _PAIRS + "/\\" + _PAIRS + "/\\/\\", 0x10)),
    **dict(enumerate("⟨⟩⨆⨆∮∮⊙⊙⊕⊕⊗⊗∑∏∫∪∩⊎∧∨∑∏∫∪∩⊎∧∨∐∐^^^~~~[]⌊⌋⌈⌉{}√√√√√", 0x44)),
}
_PIECES = {
    **dict(enumerate("()[][][]{}{}{}{|()()", 0x30)),
    **dict(enumerate("(((", 0xF8EB)),
    **dict(enumerate("[[[", 0xF8EE)),
    **dict(enumerate("{{{|", 0xF8F1)),
    **dict(enumerate(")))", 0xF8F6)),
    **dict(enumerate("]]]", 0xF8F9)),
    **dict(enumerate("}}}", 0xF8FC)),
}
#: Of the font cmmi, which calls them by names that nothing else has.
_ITALIC = {15: "ϵ", 36: "ϖ"}
_SAME = {"∣": "|", "−": "-", "⋅": "·", "ˆ": "^", "˜": "~", "\u20d7": "→", "∥": "‖"}
# Names of Computer Modern, its copies CM-Super (SF…) and Latin Modern, and of other families.
_BOLD = re.compile(
    r"CMBX|CMB\d|CMSSBX|CMSSDC|CMMIB|CMBSY|SFB[XIL]|SFRB|SFS[XO]|SFXC|SFSSDC|[Bb]old|Demi|-Medi(?:Ital)?\b"
    r"|-B[dI]?\b"
)
_STYLES = (
    ("fraktur", re.compile(r"EUF|[Ff]rak")),
    ("script", re.compile(r"CMB?SY|EUS|rsfs|RSFS|[Ss]cript|MathSymbols")),
    ("blackboard", re.compile(r"MSBM|BBM|[Dd]oublestruck")),
    ("mono", re.compile(r"CM(?:SL|I|V)?TT|SFTT|SFST|SFIT|SFVT|[Mm]ono|MonL|[Tt]ypewriter|Courier")),
    ("sans", re.compile(r"CMSS|SFS[SXOI]|[Ss]ans|SanL|Helvetica|Arial")),
    ("italic", re.compile(r"CMMI|CM(?:BX)?(?:TI|SL)|SFTI|SFSL|SFB[IL]|Ital|italic|Oblique|Slant")),
)
_EXTENSION = re.compile(r"CMEX|[Ee]xtension|ESINT|LMMathExtension")
_THIN = 2500  # thousandths of a point


@dataclass(frozen=True, slots=True)
class Token:
    """A character or a shape; its box is in points from the top left corner of the page."""

    #: A character, or "rule", "bar", "block", "path" or "image".
    text: str
    #: Such as "bold italic"; empty for upright characters and for shapes.
    style: str
    #: Size of the font in points; of shapes and characters made to measure, that of the text around.
    size: float
    left: float
    top: float
    right: float
    bottom: float
    #: Whether it has no size of its own: shapes and characters made to measure.
    stretches: bool = False

    @property
    def identity(self) -> str:
        """What makes two tokens equal but for place and size."""
        return f"{self.text} {self.style}"

    @property
    def plain_identity(self) -> str:
        """The identity without the family of ordinary fonts: serif, sans serif, typewriter, italic."""
        words = [word for word in self.style.split() if word not in ("italic", "sans", "mono")]
        return " ".join([self.text, *words])

    @property
    def width(self) -> float:
        """Width of the box."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Height of the box."""
        return self.bottom - self.top


def drawn_json(page: PageObjects | None) -> str:
    """Return a page as compact JSON text, equal if the page is."""
    if page is None:
        return ""
    rows = [
        [
            int(page_object.kind),
            page_object.text or page_object.code,
            page_object.font,
            page_object.size,
            page_object.left,
            page_object.top,
            page_object.right,
            page_object.bottom,
        ]
        for page_object in page.objects[:MOST_OBJECTS]
    ]
    limit = page.limit or ("objects" if len(page.objects) > MOST_OBJECTS else "")
    content = {"fonts": page.fonts, "objects": rows, "limit": limit}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


#: What is known of a page that was not drawn since that took too much.
LIMITED = drawn_json(PageObjects((), (), "limit"))


def read_drawn(text: str) -> tuple[list[Token], str]:
    """Return the tokens of a page as ``drawn_json`` wrote it, in the order drawn, and its limit or "".

    Raises:
        ValueError: It is not such a text.
    """
    if not text:
        return [], ""
    try:
        content = read_json(text)
        return _tokens(content["fonts"], content["objects"]), str(content["limit"])
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"not the objects of a page: {error}") from None


def _tokens(fonts: Sequence[str], rows: Sequence[Sequence[object]]) -> list[Token]:
    tokens: list[Token] = []
    around = next((float(str(row[3])) / 1000 for row in rows if row[0] == PageObjectKind.GLYPH), 10.0)
    for kind, text, font, size, *box in rows:
        left, top, right, bottom = (float(str(side)) / 1000 for side in box)
        if kind == PageObjectKind.GLYPH:
            name, points = fonts[int(str(font))], float(str(size)) / 1000
            stretches = bool(_EXTENSION.search(name))
            around = around if stretches else points
            written, piece = _character(text, name)
            token = Token(written, _style(name, written), around, left, top, right, bottom, stretches)
            if piece and tokens and _continues(tokens[-1], token):
                tokens[-1] = _joined(tokens[-1], token)
            else:
                tokens.append(token)
        else:
            shape = _shape(PageObjectKind(int(str(kind))), right - left, bottom - top)
            tokens.append(Token(shape, "", around, left, top, right, bottom, True))
    return list(_without_marks(tokens))


def _character(text: object, font: str) -> tuple[str, bool]:
    """Return the character that a glyph stands for, and whether the glyph is a piece of it."""
    if isinstance(text, int):
        if not _EXTENSION.search(font):
            family = re.sub(r"\d", "", font)  # CMSY7 and CMSY8 are one family in two sizes
            own = f"{family}:{text}"
            return _ITALIC.get(text, own) if family.startswith("CMMI") else own, False
        if text in _PIECES:
            return _PIECES[text], True
        return _LARGE.get(text, f"large:{text}"), False
    written = str(text)
    if len(written) == 1 and ord(written) in _PIECES and ord(written) > 0xFFF:
        return _PIECES[ord(written)], True
    plain = "".join(unicodedata.normalize("NFKC", one) if _is_formatted(one) else one for one in written)
    return _SAME.get(plain, plain), False


def _is_formatted(character: str) -> bool:
    """Return whether a character is a ligature, or a letter in a style, which the name of a font says too."""
    return "\ufb00" <= character <= "\ufb06" or "\U0001d400" <= character <= "\U0001d7ff"


def _style(font: str, text: str) -> str:
    bold = "bold " if _BOLD.search(font) else ""
    if not text[:1].isalpha():
        return bold.strip()
    return (bold + next((style for style, pattern in _STYLES if pattern.search(font)), "")).strip()


def _shape(kind: PageObjectKind, width: float, height: float) -> str:
    if kind is not PageObjectKind.RULE:
        return kind.name.lower()
    if min(width, height) > _THIN:
        return "block"
    return "rule" if width >= height else "bar"


def _continues(before: Token, piece: Token) -> bool:
    """Return whether a piece of a delimiter goes on with the one before it."""
    across = before.left < piece.right and piece.left < before.right
    near = abs(piece.top - before.bottom) < 1 or abs(before.top - piece.bottom) < 1
    return (
        before.stretches
        and across
        and near
        and ("|" in (before.text, piece.text) or before.text == piece.text)
    )


def _joined(first: Token, second: Token) -> Token:
    return replace(
        first,
        text=second.text if first.text == "|" else first.text,
        left=min(first.left, second.left),
        top=min(first.top, second.top),
        right=max(first.right, second.right),
        bottom=max(first.bottom, second.bottom),
    )


def _without_marks(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens, a stroke through the next character together with it."""
    stroke: Token | None = None
    for token in tokens:
        if token.text in ("\u0338", "/̸"):
            stroke = token
            continue
        if stroke is not None:
            token = _joined(replace(token, text=f"{token.text}\u0338"), stroke)  # noqa: PLW2901 - as one token
            stroke = None
        yield token
    if stroke is not None:
        yield stroke
