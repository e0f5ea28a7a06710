"""Lines of words as a web page: each at its place, in its colours."""

from __future__ import annotations

import html
import json

from i2s_sdk.tasks.ocr_page import Colour, OcrLine, OcrPage

_TEXT_HEIGHT = 0.78  # size of the letters as a share of the height of a line's box
_LETTER_WIDTH = 0.5  # of the letters of the font in the mean, as a share of their size


def as_webpage(page: OcrPage) -> str:
    """Return a completion with the lines of a page as absolutely placed blocks."""
    lines = "\n".join(_block(page, line) for line in page.lines)
    content = (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Page</title>\n<style>\n'
        f"body {{ margin: 0; height: {page.height}px; position: relative; background: {_css(page.paper)}; "
        "font-family: Arial, Helvetica, sans-serif; }\n"
        "div { position: absolute; white-space: nowrap; }\n"
        f"</style>\n</head>\n<body>\n{lines}\n</body>\n</html>\n"
    )
    listed = json.dumps([{"filename": "index.html", "content": content}], indent=1)
    # A backtick inside of the file would end the block for profile helm.
    return "```json\n" + listed.replace("`", "\\u0060") + "\n```"


def _block(page: OcrPage, line: OcrLine) -> str:
    widest = line.width / (_LETTER_WIDTH * len(line.text))
    size = max(1, round(min(_TEXT_HEIGHT * line.height, widest)))
    behind = "" if line.paper == page.paper else f"background:{_css(line.paper)};"
    return (
        f'<div style="left:{line.left}px;top:{line.top}px;width:{line.width}px;height:{line.height}px;'
        f"line-height:{line.height}px;font-size:{size}px;"
        f'{behind}color:{_css(line.ink)}">{html.escape(line.text)}</div>'
    )


def _css(colour: Colour) -> str:
    red, green, blue = colour
    return f"#{red:02x}{green:02x}{blue:02x}"
