"""The language of ShapeCodeBench: what is read, what is refused, what is drawn."""

import pytest

from i2s_sdk.tasks.shapecode.program import ProgramError, draw, program_in, read_program
from linear_time import assert_linear


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("circle(cx=1, cy=1, radius=3)", "lacks stroke"),
        ("filled_square(cx=1, cy=1, radius=3)", "no argument of filled_square"),
        ("filled_square(cx=1, cy=1, size=3, size=4)", "no argument"),
        ("filled_circle(cx=512, cy=1, radius=3)", "out of range"),
        ("filled_circle(cx=-1, cy=1, radius=3)", "out of range"),
        ("filled_circle(cx=1, cy=1, radius=0)", "out of range"),
        ("filled_circle(cx=1, cy=1, radius=513)", "out of range"),
        ("square(cx=9, cy=9, size=5, stroke=4)", "not from 1 to 3"),
        ("circle(cx=9, cy=9, radius=5, stroke=6)", "not from 1 to 5"),
        ("circle(cx=9, cy=9, radius=5, stroke=0)", "not from 1 to 5"),
        ("circle(cx=1.5, cy=9, radius=5, stroke=1)", "no argument"),
        ("triangle(cx=9)", "no call"),
        ("", "no shape"),
    ],
)
def test_a_line_that_is_no_call_is_refused_with_the_reason(line, reason):
    with pytest.raises(ProgramError, match=reason):
        read_program(line)


def test_the_line_of_a_fault_is_named():
    with pytest.raises(ProgramError, match="line 2: "):
        read_program("filled_circle(cx=9, cy=9, radius=5)\nnothing")


def test_a_square_has_its_side_and_a_circle_both_ends_of_its_diameter():
    square = draw(read_program("filled_square(cx=100, cy=100, size=5)"))
    assert square.point(lambda value: 255 - value).getbbox() == (98, 98, 103, 103)
    circle = draw(read_program("filled_circle(cx=100, cy=100, radius=5)"))
    assert circle.point(lambda value: 255 - value).getbbox() == (95, 95, 106, 106)


def test_the_program_is_the_block_or_the_lines_like_calls_or_all():
    call = "filled_circle(cx=9, cy=9, radius=5)"
    assert program_in(f"Here:\n```python\n{call}\n```\nsquare(cx=1)") == call
    assert program_in(f"I see a circle.\n{call}\nDone.") == call
    assert program_in("nothing of that kind") == "nothing of that kind"
    assert program_in(f"x {call}\n\t{call} ;\t\n{call} x\ncircle cx=9)\ncircle(") == f"{call} ;"
    assert program_in("x\ncircle (a) b) ; \n") == "circle (a) b) ;"


@pytest.mark.parametrize(
    ("before", "piece", "after"),
    [("circle()", " ", "x"), ("", " ", "x"), ("circle", " ", ""), ("circle(", ")", "x")],
)
def test_lines_like_calls_are_looked_for_in_linear_time(before, piece, after):
    assert_linear(lambda length: program_in(before + piece * length + after), 60_000, 1.0)


@pytest.mark.parametrize(
    ("before", "piece", "after"),
    [("circle();;;;;;;;;", "   ", "x"), ("", "```", ""), ("circle(", "cx,", ")")],
)
def test_a_program_is_read_in_linear_time(before, piece, after):
    def read(number):
        with pytest.raises(ProgramError):
            read_program(program_in(before + piece * number + after))

    assert_linear(read, 20_000, 1.0)
