"""A page to draw on: text in Pillow's own font, lines, boxes, and tables of text."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

INK, GREY, PALE, RED, GREEN, BLUE = "#1d2129", "#6b7280", "#e5e7eb", "#c0392b", "#2e7d4f", "#2f5d9b"
ORANGE, PURPLE = "#d98324", "#7a4b9d"

Colour = str


class Page:
    """A page of a size and a colour.

    Args:
        width: Width in pixels.
        height: Height in pixels.
        background: Colour of the whole page.
    """

    def __init__(self, width: int, height: int, background: Colour = "white") -> None:
        self.width, self.height = width, height
        self.image = Image.new("RGB", (width, height), background)
        self.pen = ImageDraw.Draw(self.image)

    def text(
        self, x: float, y: float, text: str, size: int = 18, colour: Colour = INK, at: str = "la"
    ) -> None:
        """Write a text; ``at`` says which of its points lies at x and y, as Pillow's anchors do."""
        self.pen.text((x, y), text, fill=colour, font=ImageFont.load_default(size), anchor=at)

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: Colour = GREY, width: int = 1) -> None:
        """Draw a line."""
        self.pen.line((x1, y1, x2, y2), fill=colour, width=width)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: Colour | None = None,
        edge: Colour | None = GREY,
        radius: int = 0,
    ) -> None:
        """Draw a rectangle."""
        self.pen.rounded_rectangle((x, y, x + width, y + height), radius, fill=fill, outline=edge)

    def check(self, x: float, y: float, ticked: bool, label: str, *, round_box: bool = False) -> None:
        """Draw a check box, or a round button, with its label."""
        self.box(x, y, 20, 20, "white", INK, 10 if round_box else 2)
        if ticked and round_box:
            self.box(x + 5, y + 5, 10, 10, INK, INK, 5)
        elif ticked:
            self.line(x + 4, y + 11, x + 9, y + 16, INK, 3)
            self.line(x + 9, y + 16, x + 17, y + 4, INK, 3)
        self.text(x + 30, y + 10, label, 17, at="lm")

    def table(
        self,
        x: float,
        y: float,
        widths: Sequence[float],
        rows: Sequence[Sequence[str]],
        height: int = 34,
        right: Sequence[int] = (),
    ) -> float:
        """Draw rows of text with a rule below each, the first of them a heading, and return where they end.

        Args:
            x: Position of the left edge.
            y: Position of the upper edge.
            widths: Widths of the columns.
            rows: The rows, each a list of texts.
            height: Height of a row.
            right: Columns whose texts end at the right.
        """
        for number, row in enumerate(rows):
            if number == 0:
                self.box(x, y, sum(widths), height, PALE, None)
            left = x
            for column, (text, width) in enumerate(zip(row, widths, strict=True)):
                end = column in right
                self.text(
                    left + width - 10 if end else left + 10,
                    y + height / 2,
                    text,
                    17,
                    at="rm" if end else "lm",
                )
                left += width
            y += height
            self.line(x, y, x + sum(widths), y)
        return y


def money(value: float) -> str:
    """Return an amount with two decimals."""
    return f"{value:.2f}"
