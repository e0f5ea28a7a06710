"""Answers of the two models differ from the ground truth and from each other."""

from __future__ import annotations

import json

import pytest

from benchmarks.whole_run.samples import LINES, completion
from i2s_sdk.instances.instance import Content


@pytest.mark.parametrize("task", ["latex", "music"])
def test_the_line_of_the_model_is_in_its_answer(task: str) -> None:
    content = Content(structure="x")
    answers = {model: completion(task, content, model) for model in LINES}
    assert answers["first"] != answers["second"]
    assert all(LINES[model] in answer for model, answer in answers.items())


def test_the_line_follows_the_beginning_of_a_whole_document() -> None:
    answer = completion("latex", Content(structure="\\begin{document}\nx\n\\end{document}"), "first")
    assert answer.index(r"\begin{document}") < answer.index(LINES["first"]) < answer.index("x\n\\end")


def test_a_score_still_begins_with_its_version() -> None:
    answer = completion("music", Content(structure='\\version "2.24.0"\n{ c4 }'), "second")
    assert answer.startswith('\\version "2.24.0"\n\\markup')
    assert answer.endswith("{ c4 }")


def _index(page: bytes, name: str = "index.html") -> str:
    answer = completion("webpage", Content(site={name: page, "style.css": b"p {}"}), "first")
    files = json.loads(answer.removeprefix("```json\n").removesuffix("\n```"))
    return next(file["content"] for file in files if file["filename"] == name)


def test_the_line_is_the_first_of_the_body_of_a_page() -> None:
    line = LINES["first"]
    assert _index(b"<html><body class=x><h1>A</h1></body></html>") == (
        f"<html><body class=x>\n<p>{line}</p>\n<h1>A</h1></body></html>"
    )


def test_the_line_of_a_page_with_a_layout_follows_its_front_matter() -> None:
    page = _index(b"---\ntitle: T\n---\n# A\n", "index.md")
    assert page == f"---\ntitle: T\n---\n\n{LINES['first']}\n\n# A\n"


def test_a_page_without_a_body_has_the_line_at_its_end() -> None:
    assert _index(b"<h1>A</h1>").startswith("<h1>A</h1>\n<p>")
