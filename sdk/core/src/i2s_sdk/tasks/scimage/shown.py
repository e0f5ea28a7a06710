"""What scorers know of a figure: the objects of a Python figure, or the text of a page of TikZ."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass

from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.chart.figure_text import figure_from_text, figure_to_text
from i2s_wire.render.figure import Figure

#: What services replace marks of direction by, which are no part of a label.
_REPLACED = "\ufffd"


@dataclass(frozen=True, slots=True)
class RenderedFigure:
    """A figure that was rendered.

    Attributes:
        one_color: Whether all of its pixels have one color, so that it is blank.
        figure: Its objects; None for TikZ.
        page_text: Text of the page; of TikZ.
    """

    one_color: bool = False
    figure: Figure | None = None
    page_text: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the figure, in the form in which labels are compared."""
        texts = (self.page_text,) if self.figure is None else (one.text for one in self.figure.texts)
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
            ValueError: It is no such text.
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
