"""Lines of words as a score. Who reads words reads no notes: there is an empty staff below them."""

from __future__ import annotations

from i2s_sdk.tasks.ocr_page import OcrPage


def as_score(page: OcrPage) -> str:
    """Return a completion with the words of a page above an empty staff.

    There is no fence around it: to profile helm that would be a part of the score.
    """
    words = "\n".join(f"  {_quoted(line.text)}" for line in page.lines)
    markup = f"\\markup \\column {{\n{words}\n}}\n" if words else ""
    return (
        '\\version "2.24.0"\n\\header { tagline = ##f }\n'
        f"{markup}\\score {{\n  \\new Staff {{ s1 }}\n  \\layout {{ }}\n}}\n"
    )


def _quoted(text: str) -> str:
    plain = "".join(one for one in text if one.isprintable())
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
