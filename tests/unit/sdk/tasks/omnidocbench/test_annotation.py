"""The annotation of a page: what counts, what belongs together, and what is no annotation."""

import pytest

from i2s_sdk.tasks.omnidocbench.annotation import (
    BlockKind,
    annotation_fault,
    page_attributes,
    true_blocks,
)
from omnidocbench_page import annotation, element


def test_blocks_stand_in_the_order_of_reading_and_figures_are_none():
    found = true_blocks(annotation())
    assert [one.category for one in found] == [
        "title", "text_block", "equation_isolated", "table", "text_block", "header",
    ]  # fmt: skip
    assert [found[0].kind, found[-1].kind] == [BlockKind.TEXT, BlockKind.IGNORED]
    assert page_attributes(annotation()) == {"language": "english"}


def test_texts_that_the_layout_divides_are_one_block_at_the_place_of_the_first():
    (merged,) = [true_block for true_block in true_blocks(annotation()) if true_block.order == 2]
    assert merged.content == "The tide at $x_1$ rises by 3.5 m in the first hour of the day."


def test_three_texts_are_one_by_two_relations_in_any_order():
    texts = [element("text_block", order, anno_id=order, text=str(order)) for order in (1, 2, 3)]
    relations = [
        {"relation_type": "truncated", "source_anno_id": source, "target_anno_id": target}
        for source, target in ((2, 3), (1, 2))
    ]
    (block,) = true_blocks({"layout_dets": texts[::-1], "extra": {"relation": relations}})
    assert (block.content, block.order) == ("123", 1)


def test_elements_that_are_marked_are_left_out():
    page = annotation(layout_dets=[element("text_block", 1, text="a", ignore=True)])
    assert true_blocks(page) == ()


def test_boxes_are_shares_of_the_page():
    poly = [10.0, 20.0, 50.0, 20.0, 50.0, 40.0, 10.0, 40.0]
    (block,) = true_blocks(annotation(layout_dets=[element("title", 1, text="a", poly=poly)]))
    assert block.boxes == ((0.1, 0.1, 0.5, 0.2),)
    (block,) = true_blocks(annotation(layout_dets=[element("title", 1, text="a", poly=["x"] * 8)]))
    assert block.boxes == ()


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ([], "no list layout_dets"),
        ({"layout_dets": [1]}, "element 1 of the annotation has no category_type"),
        ({"layout_dets": [element("title", "x", text="a")]}, "order that is no number"),
        ({"layout_dets": [element("title", float("inf"), text="a")]}, "order that is no number"),
        ({"layout_dets": [element("title", 1, text=["a"])]}, "field text that is no text"),
        ({"layout_dets": [element("title", 1, anno_id=[1])]}, "anno_id"),
        ({"layout_dets": [element("title", 1)] * 2001}, "2001 elements"),
    ],
)
def test_what_is_no_annotation_is_named(page, said):
    assert said in annotation_fault(page)


def test_an_annotation_has_no_fault():
    assert annotation_fault(annotation()) == ""
