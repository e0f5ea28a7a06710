"""Lines of words written as Markdown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.ocr_page import OcrLine, OcrPage
from i2s_sdk.tasks.readoc.spec import as_markdown

WHITE = (255, 255, 255)


def line(text: str, left: int, top: int, right: int) -> OcrLine:
    return OcrLine(text, left, top, right, top + 20)


def page(*lines: OcrLine) -> OcrPage:
    ordered = sorted(lines, key=lambda one: (one.top, one.left))
    return OcrPage(1000, 1400, WHITE, tuple(ordered))


def column(word: str, left: int, top: int, count: int) -> list[OcrLine]:
    return [line(f"{word}{n}", left, top + 25 * n, left + 400) for n in range(count)]


def test_lines_of_a_paragraph_are_joined_and_a_gap_ends_it() -> None:
    found = as_markdown(page(*column("a", 100, 100, 3), *column("b", 100, 300, 2)))
    assert found == "a0 a1 a2\n\nb0 b1"


def test_columns_are_read_one_after_the_other_below_what_spans_both() -> None:
    title = line("Title", 300, 50, 700)
    found = as_markdown(page(title, *column("a", 80, 150, 6), *column("b", 520, 152, 6)))
    assert found == "Title\n\na0 a1 a2 a3 a4 a5\n\nb0 b1 b2 b3 b4 b5"


def test_a_row_of_a_table_is_read_from_left_to_right() -> None:
    rows = [
        line(text, left, top + shift, left + 60)
        for top, row in ((100, "ab"), (130, "cd"))
        for (left, shift), text in zip(((100, 3), (300, 0)), row, strict=True)
    ]
    assert as_markdown(page(*rows)).split() == ["a", "b", "c", "d"]


def test_divided_words_are_put_together_and_hyphens_before_capitals_stay() -> None:
    assert as_markdown(page(line("exam-", 0, 0, 400), line("ple", 0, 24, 400))) == "example"
    assert as_markdown(page(line("Anglo-", 0, 0, 400), line("Saxon", 0, 24, 400))) == "Anglo- Saxon"


def test_an_empty_page_is_empty() -> None:
    assert as_markdown(page()) == ""


boxes = st.tuples(st.integers(0, 900), st.integers(0, 1300), st.integers(1, 100), st.integers(1, 100))


@given(st.lists(boxes, max_size=60))
def test_every_line_is_read_once(places: list[tuple[int, int, int, int]]) -> None:
    lines = [OcrLine(f"w{n}", x, y, x + w, y + h) for n, (x, y, w, h) in enumerate(places)]
    assert sorted(as_markdown(page(*lines)).split()) == sorted(one.text for one in lines)
