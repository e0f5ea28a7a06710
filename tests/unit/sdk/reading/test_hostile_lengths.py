"""Reading a completion costs in proportion to its length, whatever it is made of."""

import pytest

from i2s_sdk.reading import fenced_blocks, is_refusal, read_answer_text, unwrapped_markdown
from i2s_sdk.reading.json_values import json_values
from i2s_sdk.tasks.chart.reading import extract as extract_python
from i2s_sdk.tasks.latex.reading import extract as extract_latex
from i2s_sdk.tasks.music.task import extract as extract_music
from i2s_sdk.tasks.omr.task import OmrTask
from i2s_sdk.tasks.sobench.reading import extract as extract_json
from i2s_sdk.tasks.svg.reading import extract as extract_svg
from i2s_sdk.tasks.webpage.reading import find_files
from i2s_wire.metrics.profile import Profile
from linear_time import assert_linear

pytestmark = pytest.mark.slow

LENGTH = 120_000
ALLOWED_CPU_SECONDS = 15.0

PARTS = [
    *(
        "```",
        "``` a ",
        "```\n",
        "```a\n",
        "x```y\n",
        "````x```\n",
        "~~~\n",
        " ~~~~\n~~~\n",
        "`",
        "```` ``` ",
        "```a```",
    ),
    *(
        "> ",
        "> ```\n",
        "- ",
        "- ```\n",
        "1. a\n",
        "* * * x\n",
        "```py\nx\n```\n",
        "```py\nx = y\n```\n",
        "```md\n",
    ),
    *(
        "<think>",
        "</think>",
        "<think",
        "<answer>",
        "</answer>",
        "<|im_end|>",
        "<|",
        "<s>",
        "</s>",
        "[THINK]",
        " \n",
    ),
    *("<|channel|>", "<|channel|>  ", "<|im_start|>assistant", "I cannot ", "sorry ", "I'm sorry "),
    *(
        "[",
        "{",
        "[1]",
        '{"a":1}\n',
        '{"filename":',
        '[{"filename":"a","content":"b"}] ',
        '"',
        "\\",
        '"\\',
        "`a\\",
    ),
    *(
        '["a",',
        "//",
        "/*",
        "/**/,",
        ",]",
        "<!--",
        "<!---->",
        "<html>",
        "</html>",
        "<link ",
        "<script src=",
        "<div>",
        "\u200b",
        "a, ",
        "$$ ",
        "\\begin{a}",
        "code:\n",
        "a/",
        "a.",
        "a",
        "word ",
    ),
    *(
        "```html a.html\n<p>\n```\n",
        "```css\na{}\n```\n",
        "```html\n<html>\n```\n",
        "```json\n[1]\n```\n",
        "```a/b",
    ),
    *("<mei ", "<?xml", "<!DOCTYPE", "<score-partwise ", "**kern\n", "<svg ", "\r", "$a$ ", "\\(a", "---\n"),
]


@pytest.mark.parametrize("part", PARTS)
def test_the_work_does_not_grow_with_the_square_of_the_length(part: str) -> None:
    def read(length: int) -> None:
        text = part * (length // len(part))
        for whole in (text, f"[{text}", f"```json\n{{{text}"):
            answer = read_answer_text(whole).text
            fenced_blocks(answer)
            unwrapped_markdown(f"```md\n{answer}")
            is_refusal(answer)
            json_values(whole)
            find_files(answer)
            extract_python(answer)
            extract_latex(answer, Profile.PAPER)
            extract_music(answer, Profile.PAPER)
            extract_json(answer, Profile.PAPER)
            extract_svg(answer)
            OmrTask().structure_from(answer)

    assert_linear(read, LENGTH, ALLOWED_CPU_SECONDS)
