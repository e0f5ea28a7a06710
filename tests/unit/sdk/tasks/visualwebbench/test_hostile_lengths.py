"""Reading an answer costs in proportion to its length, whatever it is made of."""

import pytest

from i2s_sdk.tasks.visualwebbench.kinds import Form
from i2s_sdk.tasks.visualwebbench.task import read_answer
from i2s_wire.metrics.profile import Profile
from linear_time import assert_linear

pytestmark = pytest.mark.slow

LENGTH = 100_000
ALLOWED_CPU_SECONDS = 4.0

PARTS = [
    '<meta name="description" content="',
    "<meta name='description' content='",
    '<meta name="description"',
    "<meta ",
    "<meta content=",
    "<",
    '"',
    "'",
    "The text content within the red bounding box is",
    "Meta Description:",
    ":",
    "[0.1, ",
    "[0.1, 0.2, 0.3, 0.4",
    "(1,",
    "[",
    "0",
    "0.",
    "-",
    "A",
    "A ",
    "(A)",
    "answer is ",
    "answer",
    "option:",
    "A\n",
    "not A, ",
    "A is ",
    "no ",
    "选",
    "\\boxed{",
    "**a *a ",
    "_a",
    "`a``",
    "\\",
    "# ",
    "*",
    " ",
    "\n",
    ".",
    "```",
    "```\n",
]


@pytest.mark.parametrize("part", PARTS)
def test_the_work_does_not_grow_with_the_square_of_the_length(part: str) -> None:
    def read(length: int) -> None:
        text = part * (length // len(part))
        for form in Form:
            for profile in Profile:
                for said in (text, "answer" + text, "[0.1" + text + "x", "<meta name='description'" + text):
                    assert read_answer(said, form, profile) is not None

    assert_linear(read, LENGTH, ALLOWED_CPU_SECONDS)
