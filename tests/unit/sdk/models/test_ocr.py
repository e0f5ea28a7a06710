"""Lines of words written back as structures."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex import LatexTask
from i2s_sdk.tasks.latex.ocr import as_latex, escape
from i2s_sdk.tasks.music.spec import as_score
from i2s_sdk.tasks.ocr_page import OcrLine, OcrPage
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.structure import Structure
from i2s_sdk.tasks.webpage.spec import as_webpage
from i2s_wire.metrics.profile import Profile

WHITE = (255, 255, 255)


def _page(*texts: str) -> OcrPage:
    return OcrPage(400, 300, WHITE, tuple(OcrLine(text, 10, 20, 210, 50) for text in texts))


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("50% & {a_b}", r"50\% \& \{a\_b\}"),
        ("x² + é", r"x\ensuremath{^{2}} + \'{e}"),
        ("σ ≤ Ω", r"\ensuremath{\sigma} \ensuremath{\leq} \ensuremath{\Omega}"),
        ("ﬁne a｜b", r"fine a\textbar{}b"),
        ("中 文", ""),
        ("a\x00\x1bb", "ab"),
    ],
)
def test_words_are_printed_by_latex_as_they_are(words: str, code: str) -> None:
    assert escape(words) == code


@given(st.text())
def test_whatever_was_read_is_plain_latex(words: str) -> None:
    code = escape(words)
    assert code.isascii()
    bare = re.sub(r"\\[{}$&#%_]", "", code)
    assert not set("$&#%_^~") & set(
        re.sub(r"\\ensuremath\{[^{}]*(\{[^{}]*\})?\}|\\[\"'`^~=.]\{.\}", "", bare)
    )
    assert bare.count("{") == bare.count("}")


@pytest.mark.parametrize("profile", list(Profile))
def test_latex_is_found_by_the_task_with_every_line_at_its_place(profile: Profile) -> None:
    structure = LatexTask(profile).structure_from(as_latex(_page("some words", "of two lines")))
    assert isinstance(structure, Structure)
    assert r"\begin{picture}(400,300)" in structure.code
    assert structure.code.count(r"\put(10,257){\resizebox{200\unitlength}{!}{") == 2


def test_a_webpage_is_the_list_of_files_that_the_task_wants() -> None:
    page = OcrPage(400, 300, (1, 2, 3), (OcrLine("a <b> `c`", 10, 20, 210, 50, (255, 0, 0), (1, 2, 3)),))
    completion = as_webpage(page)
    assert completion.count("`") == 6  # the fence, and no other that would end it
    ((_, name), (_, content)) = json.loads(completion.removeprefix("```json\n").removesuffix("\n```"))[
        0
    ].items()
    assert name == "index.html"
    assert "left:10px;top:20px;width:200px;height:30px" in content
    assert "color:#ff0000" in content
    assert "background: #010203" in content
    assert "a &lt;b&gt; `c`" in content


def test_a_score_has_the_words_and_a_staff_without_notes() -> None:
    score = as_score(_page('A "tune" \\ by\nx'))
    assert '"A \\"tune\\" \\\\ byx"' in score
    assert r"\new Staff { s1 }" in score
    assert r"\markup" not in as_score(_page())


def test_tasks_say_what_words_alone_answer_to_their_questions() -> None:
    answers = {name: spec.ocr_answer for name, spec in SPECS.items() if spec.ocr_answer is not None}
    assert {"latex", "webpage", "music", "readoc"} < set(answers)
    pages = [_page("the first"), _page("the second")]
    assert answers["music"](pages[:1], {}) == as_score(pages[0])
    assert answers["readoc"](pages, {}) == "the first\n\nthe second"
    assert [name for name, spec in SPECS.items() if spec.shows_pages] == ["readoc"]
