"""Lines of words as answers to the questions of VisualWebBench: what a program can say that only reads.

Texts are compared by the F1 of their words. A line belongs to a box if its middle lies in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from i2s_sdk.tasks.ocr_page import OcrAnswer, OcrLine, OcrPage
from i2s_sdk.tasks.visualwebbench.boxes import Box, contains
from i2s_sdk.tasks.visualwebbench.letters import LETTERS
from i2s_sdk.tasks.visualwebbench.word_overlap import squad_f1

_CAPTION_LINES = 3
_QUOTES = str.maketrans("“”‘’«»", "      ")  # the F1 of words knows ASCII punctuation alone

#: Returns an answer for the lines of an image and the inputs of an instance.
Answerer = Callable[[OcrPage, Mapping[str, Any]], str]


def caption(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the tallest line and those behind it as the description of the page."""
    lines = page.lines[_tallest(page) :][:_CAPTION_LINES] if page.lines else ()
    said = " ".join(one.text for one in lines).replace('"', "'")
    return f'<meta name="description" content="{said}">'


def heading(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the tallest line."""
    return page.lines[_tallest(page)].text if page.lines else ""


def element_text(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the lines in the box that the question names."""
    return f"The text content within the red bounding box is: {_text_in(page, inputs['bbox'])}"


def answer(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the line that has most words of the question."""
    best = _best(page.lines, str(inputs["question"]))
    return best.text if best else ""


def element_choice(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the letter of the box whose text is most like what is asked for."""
    return _most_alike([_text_in(page, box) for box in inputs["options"]], _asked(inputs))


def page_choice(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the letter of the description that is most like the text of the element."""
    return _most_alike(list(map(str, inputs["options"])), _text_in(page, inputs["bbox"]))


def box(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the box of the line that is most like what is asked for."""
    best = _best(page.lines, _asked(inputs))
    if best is None:
        return ""
    left, right = best.left / page.width, best.right / page.width
    top, bottom = best.top / page.height, best.bottom / page.height
    return f"[{left:.4f}, {top:.4f}, {right:.4f}, {bottom:.4f}]"


def point(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the middle of the line that is most like what is asked for."""
    best = _best(page.lines, _asked(inputs))
    if best is None:
        return ""
    x, y = _middle(best, page)
    return f"[{x:.4f}, {y:.4f}]"


#: Functions by task.
ANSWERERS: Mapping[str, Answerer] = {
    "web_caption": caption,
    "webqa": answer,
    "heading_ocr": heading,
    "element_ocr": element_text,
    "element_ground": element_choice,
    "action_prediction": page_choice,
    "action_ground": element_choice,
    "element_ground_box": box,
    "element_ground_point": point,
    "action_ground_box": box,
    "action_ground_point": point,
}


def answer_of(task: str) -> OcrAnswer:
    """Return what answers the questions of a task, which show one image."""
    return lambda pages, inputs: ANSWERERS[task](pages[0], inputs)


def _asked(inputs: Mapping[str, Any]) -> str:
    return str(inputs.get("elem_desc") or inputs.get("instruction") or "").translate(_QUOTES)


def _tallest(page: OcrPage) -> int:
    return max(range(len(page.lines)), key=lambda place: page.lines[place].height)


def _middle(line: OcrLine, page: OcrPage) -> tuple[float, float]:
    return (line.left + line.right) / 2 / page.width, (line.top + line.bottom) / 2 / page.height


def _text_in(page: OcrPage, given: Sequence[float]) -> str:
    x1, y1, x2, y2 = map(float, given)
    where: Box = (x1, y1, x2, y2)
    return " ".join(one.text for one in page.lines if contains(where, _middle(one, page)))


def _most_alike(texts: Sequence[str], wanted: str) -> str:
    """Return the letter of the text that is most like another, the first of equals."""
    values = [squad_f1(one, wanted) for one in texts]
    return LETTERS[values.index(max(values))]


def _best(lines: Sequence[OcrLine], wanted: str) -> OcrLine | None:
    return max(lines, key=lambda one: squad_f1(one.text, wanted), default=None)
