"""Graded answers of OmniDocBench."""

from random import Random

import pytest

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.graded import Rung
from i2s_sdk.tasks.omnidocbench.grades import GRADES
from i2s_sdk.tasks.omnidocbench.spec import markdown_of
from omnidocbench_page import annotation, element

CONTENT = Content(target=annotation())


def made(rung, content=CONTENT):
    (grade,) = [one for one in GRADES if one.rung is rung]
    changed = grade.change(content, Random(1))
    return None if changed is None else markdown_of(changed.target)


def test_one_word_differs():
    true, wrong = markdown_of(CONTENT.target), made(Rung.ONE_WRONG)
    assert len(true) == len(wrong)
    assert sum(one != other for one, other in zip(true, wrong, strict=True)) == 1


@pytest.mark.parametrize(("rung", "share"), [(Rung.TENTH_MISSING, 0.1), (Rung.HALF_MISSING, 0.5)])
def test_elements_are_missing(rung, share):
    page = {"layout_dets": [element("text_block", at, text=f"{at:02} " * 10) for at in range(20)]}
    left = made(rung, Content(target=page))
    assert len(left.split("\n\n")) == round(20 * (1 - share))


def test_the_same_in_another_spelling():
    assert made(Rung.EQUIVALENT).startswith("### On the tides")
    assert '<table border="1">' in made(Rung.EQUIVALENT)


def test_a_page_of_one_element_has_nothing_to_leave_out():
    content = Content(target={"layout_dets": [element("figure", 1), element("title", 2, text="A")]})
    assert made(Rung.TENTH_MISSING, content) is None
    assert made(Rung.ONE_WRONG, content) is None
