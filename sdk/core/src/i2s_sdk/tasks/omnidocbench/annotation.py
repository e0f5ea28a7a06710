"""The annotation of a page in the released layout of OmniDocBench, and its blocks.

Source: the description of the data format in the README of OmniDocBench.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeGuard

#: The most elements of a page.
MAX_ELEMENTS = 2000

_TEXTS = frozenset({"text_block", "title", "code_txt", "code_txt_caption", "reference"})
_IGNORED = frozenset(
    [
        "figure_caption", "figure_footnote", "table_caption", "table_footnote", "code_algorithm",
        "code_algorithm_caption", "header", "footer", "page_footnote", "page_number", "equation_caption",
    ]
)  # fmt: skip
_FORMULA, _TABLE = "equation_isolated", "table"


class BlockKind(StrEnum):
    """What an element of a page is to the comparison."""

    TEXT = "text"
    FORMULA = "formula"
    TABLE = "table"
    #: A text that may be in the prediction or not: a header, a caption, a footnote.
    IGNORED = "ignored"


def kind_of(category: str) -> BlockKind | None:
    """Return what the elements of a category are; None if they are not compared at all, as figures are."""
    if category in _TEXTS:
        return BlockKind.TEXT
    if category in _IGNORED:
        return BlockKind.IGNORED
    return {_FORMULA: BlockKind.FORMULA, _TABLE: BlockKind.TABLE}.get(category)


#: Left, top, right and bottom as shares of the page.
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TrueBlock:
    """An element of a page, or several that are one text which the layout divides."""

    #: What it is to the comparison.
    kind: BlockKind
    #: Its category, such as "title".
    category: str
    #: The text, the LaTeX of a formula, or the HTML of a table.
    content: str
    #: Place in the order of reading; None if it has none.
    order: float | None = None
    #: Where it stands; several boxes if the layout divides it.
    boxes: tuple[Box, ...] = ()
    #: Attributes of the element, such as "text_language", as texts.
    attributes: Mapping[str, str] = field(default_factory=dict)


def page_attributes(annotation: Mapping[str, Any]) -> dict[str, str]:
    """Return the attributes of a page as texts: "language", "layout", "data_source" and others."""
    info = annotation.get("page_info")
    attributes = info.get("page_attribute") if isinstance(info, dict) else None
    return _texts(attributes)


def _texts(attributes: object) -> dict[str, str]:
    if not isinstance(attributes, dict):
        return {}
    return {name: str(value) for name, value in attributes.items() if isinstance(value, str | bool | int)}


def true_blocks(annotation: Mapping[str, Any]) -> tuple[TrueBlock, ...]:
    """Return the elements of a page that are compared, in the order of reading; those without order last.

    Texts that a relation "truncated" joins are one block at the place of the first of them. Elements that are
    marked ``ignore`` are left out.
    """
    elements = [
        element for element in annotation["layout_dets"] if kind_of(element["category_type"]) is not None
    ]
    size = _size(annotation)
    groups = _groups(annotation, elements)
    blocks = [_block(group, size) for group in groups if not any(one.get("ignore") is True for one in group)]
    return tuple(sorted(blocks, key=lambda block: (block.order is None, block.order or 0)))


def _size(annotation: Mapping[str, Any]) -> tuple[float, float] | None:
    info = annotation.get("page_info")
    sides = [info.get(name) for name in ("width", "height")] if isinstance(info, dict) else []
    numbers = [float(side) for side in sides if _is_number(side)]
    return (numbers[0], numbers[1]) if len(numbers) == 2 and min(numbers) > 0 else None


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _groups(
    annotation: Mapping[str, Any], elements: Sequence[Mapping[str, Any]]
) -> Iterator[list[Mapping[str, Any]]]:
    """Yield elements one by one, and those that are one text together, in the order of reading."""
    leader: dict[Any, Any] = {}

    def first(of: Any) -> Any:  # noqa: ANN401 - ids of annotations
        while leader.get(of, of) != of:
            of = leader[of]
        return of

    for relation in _relations(annotation):
        source, target = first(relation["source_anno_id"]), first(relation["target_anno_id"])
        leader.setdefault(source, source)
        leader[target] = source
    together: dict[Any, list[Mapping[str, Any]]] = {}
    for element in elements:
        identity = element.get("anno_id")
        if identity not in leader or not isinstance(element.get("text"), str):
            yield [element]
        else:
            together.setdefault(first(identity), []).append(element)
    for group in together.values():
        yield sorted(group, key=lambda one: _order(one) or 0)


def _relations(annotation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    extra = annotation.get("extra")
    relations = extra.get("relation") if isinstance(extra, dict) else None
    for relation in relations if isinstance(relations, list) else ():
        if isinstance(relation, dict) and relation.get("relation_type") == "truncated":
            ids = relation.get("source_anno_id"), relation.get("target_anno_id")
            if all(isinstance(identity, str | int) for identity in ids):
                yield relation


def _order(element: Mapping[str, Any]) -> float | None:
    order = element.get("order")
    return float(order) if _is_number(order) else None


_FIELDS = {BlockKind.FORMULA: "latex", BlockKind.TABLE: "html"}


def _block(group: Sequence[Mapping[str, Any]], size: tuple[float, float] | None) -> TrueBlock:
    head = group[0]
    kind = kind_of(head["category_type"])
    assert kind is not None, "only such elements are grouped"
    name = _FIELDS.get(kind, "text")
    boxes = (_box(one.get("poly"), size) for one in group)
    return TrueBlock(
        kind,
        head["category_type"],
        "".join(str(one.get(name) or "") for one in group),
        _order(head),
        tuple(box for box in boxes if box is not None),
        _texts(head.get("attribute")),
    )


def _box(poly: object, size: tuple[float, float] | None) -> Box | None:
    if size is None or not isinstance(poly, list) or len(poly) < 4 or len(poly) % 2:
        return None
    if not all(_is_number(one) for one in poly):
        return None
    across, down = ([side / whole for side in poly[at::2]] for at, whole in enumerate(size))
    box = (min(across), min(down), max(across), max(down))
    return box if all(-1 <= side <= 2 for side in box) else None


def annotation_fault(annotation: object) -> str:
    """Return what is wrong with an annotation, empty for nothing."""
    if not isinstance(annotation, dict) or not isinstance(annotation.get("layout_dets"), list):
        return "the annotation has no list layout_dets"
    elements = annotation["layout_dets"]
    if len(elements) > MAX_ELEMENTS:
        return f"the annotation has {len(elements)} elements, more than {MAX_ELEMENTS}"
    for number, element in enumerate(elements, start=1):
        if not isinstance(element, dict) or not isinstance(element.get("category_type"), str):
            return f"element {number} of the annotation has no category_type"
        order = element.get("order")
        if order is not None and not _is_number(order):
            return f"element {number} of the annotation has an order that is no number"
        for name in ("text", "latex", "html"):
            if not isinstance(element.get(name) or "", str):
                return f"element {number} of the annotation has a field {name} that is no text"
        if not isinstance(element.get("anno_id", 0), str | int):
            return f"element {number} of the annotation has an anno_id that is neither text nor number"
    return ""
