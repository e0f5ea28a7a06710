"""Models that look at nothing."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.errors import ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models import open_model
from i2s_sdk.models.baselines import ShuffledBaseline
from i2s_sdk.tasks.latex import LatexTask
from i2s_sdk.tasks.latex.spec import as_latex, escape
from i2s_sdk.tasks.music.spec import as_score
from i2s_sdk.tasks.ocr_page import OcrLine, OcrPage
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.structure import Structure
from i2s_sdk.tasks.webpage.spec import as_webpage
from i2s_wire.metrics.profile import Profile
from questions import complete


def instance(folder: Path, identity: str, subset: str = "equation", *, known: bool = True) -> Instance:
    structure = folder / f"{identity}.tex"
    structure.write_text(f"truth of {identity}")
    return Instance(identity, "latex", subset, None, structure=structure if known else None)


async def said(model: ShuffledBaseline, asked: Instance) -> str:
    found: str = (await complete(model, asked)).text
    return found


def prepared(instances: Sequence[Instance]) -> ShuffledBaseline:
    model = open_model("baseline/shuffled")
    assert isinstance(model, ShuffledBaseline)
    model.prepare(instances)
    return model


async def test_everybody_gets_the_truth_of_somebody_else_of_the_subset_and_each_is_used_once(
    tmp_path: Path,
) -> None:
    found = [instance(tmp_path, str(number)) for number in range(9)]
    others = [instance(tmp_path, f"t{number}", "table") for number in range(2)]
    model = prepared([*found, *others])
    answers = [await said(model, one) for one in found]
    assert sorted(answers) == sorted(f"```latex\ntruth of {one.id}\n```" for one in found)
    assert all(f"truth of {one.id}\n" not in answer for one, answer in zip(found, answers, strict=True))
    assert [await said(model, one) for one in others] == [
        "```latex\ntruth of t1\n```",
        "```latex\ntruth of t0\n```",
    ]


async def test_the_order_of_the_instances_does_not_matter(tmp_path: Path) -> None:
    found = [instance(tmp_path, str(number)) for number in range(9)]
    one, two = prepared(found), prepared(found[::-1])
    assert [await said(one, asked) for asked in found] == [await said(two, asked) for asked in found]


async def test_an_instance_without_truth_gets_one_and_lends_none(tmp_path: Path) -> None:
    found = [instance(tmp_path, str(number), known=number > 3) for number in range(8)]
    model = prepared(found)
    answers = {one.id: await said(model, one) for one in found}
    assert not any(f"truth of {number}\n" in answer for number in range(4) for answer in answers.values())
    assert all(f"truth of {identity}\n" not in answer for identity, answer in answers.items())


async def test_alone_in_its_subset_it_has_no_answer(tmp_path: Path) -> None:
    (alone,) = [instance(tmp_path, "a")]
    with pytest.raises(ModelError, match="no other instance of subset 'equation' has ground truth"):
        await said(prepared([alone]), alone)


@pytest.mark.parametrize("task", sorted(SPECS))
async def test_the_constant_is_the_same_for_every_instance(task: str, tmp_path: Path) -> None:
    model = open_model("baseline/constant")
    answers = {(await complete(model, Instance(one, task, "s", None))).text for one in ("a", "b")}
    assert answers == {SPECS[task].constant}


@pytest.mark.parametrize("task", ["latex", "webpage", "music", "chart"])
def test_the_constant_and_the_blank_answer_are_structures_without_repair(task: str) -> None:
    from i2s_sdk.tasks.registry import open_task
    from i2s_sdk.tasks.structure import Structure

    for answer in (SPECS[task].constant, SPECS[task].blank((300, 200)), SPECS[task].blank(None)):
        found = open_task(task).structure_from(answer)
        assert isinstance(found, Structure)
        assert found.repairs == ()


async def test_the_blank_answer_depends_on_the_size_of_the_reference_alone(tmp_path: Path) -> None:
    from PIL import Image

    model = open_model("baseline/blank")
    answers = []
    for number, (size, color) in enumerate([((80, 40), 0), ((80, 40), 200), ((90, 40), 0)]):
        path = tmp_path / f"{number}.png"
        Image.new("L", size, color).save(path)
        answers.append((await complete(model, Instance(str(number), "latex", "s", path))).text)
    assert answers[0] == answers[1] != answers[2]
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no picture")
    with pytest.raises(ModelError, match=r"broken\.png"):
        await complete(model, Instance("x", "latex", "s", broken))


def test_answers_to_other_constants_are_another_model() -> None:
    fingerprint = open_model("baseline/constant").fingerprint
    texts = sorted((name, spec.constant) for name, spec in SPECS.items())
    assert fingerprint == hashlib.sha256(repr(texts).encode()).hexdigest()[:16]


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
    assert {name for name, spec in SPECS.items() if spec.shows_pages} == {
        "readoc",
        "olmocrbench",
        "omnidocbench",
    }
