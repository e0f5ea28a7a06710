"""TEDS and TEDS-S: the similarity of two tables in HTML, as trees.

TEDS is 1 − d / n. d is the edit distance of the trees of both tables: inserting and deleting a node cost 1;
renaming costs 1 if the tags differ, or the colspan or rowspan of two cells, and else, for cells, the
Levenshtein distance of their tokens divided by the greater number of tokens. n is the greater number of
elements within a table, the table itself not counted. Tokens of a cell are its characters and each tag within
it. TEDS-S compares cells without their contents.

Source: X. Zhong, E. ShafieiBavani and A. Jimeno Yepes, "Image-based table recognition: data, model, and
evaluation", arXiv 1911.10683, and the released code, ibm-aur-nlp/PubTabNet, commit 8ffde90,
``src/metric.py``: only ``td`` is a cell there, the contents of ``th`` count as structure without text, and
only a table directly in the body of a page that begins with ``<html`` or ``<!doctype`` counts. Different from
it:

- colspan and rowspan that are not integers are 1; the released code fails;
- two tables without any element are equal; the released code divides by zero;
- text that cannot be parsed has no table; the released code fails;
- processing instructions are left out.

``TableRules`` names the variants that others use. Values of different rules must not be compared.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from i2s_sdk.text.tree_distance import TextTree, comparison_cost, tree_distances

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: Longest source of a table in characters.
MAX_CHARACTERS = 4_000_000

#: Most elements of a table, the table itself included.
MAX_ELEMENTS = 5_000

#: Most tokens in the cells of a table.
MAX_TOKENS = 200_000

#: Greatest cost of comparing two trees, as ``comparison_cost`` estimates it.
MAX_COST = 400_000_000


class TableLimitError(ValueError):
    """A table exceeds a limit that its message names."""


class TableRules(enum.StrEnum):
    """How a table is read from HTML."""

    #: The released code of TEDS.
    PUBTABNET = "pubtabnet"
    #: The same, but ``th`` is a cell like ``td``.
    TH_AS_TD = "th-as-td"
    #: The normalisation of OmniDocBench 1.0 and 1.5 (``utils/data_preprocess.py``): ``th`` is ``td``;
    #: ``thead``, ``tbody``, ``span``, ``div``, ``p``, ``sub`` and ``sup`` are left out, their contents kept;
    #: column groups are left out; ``math`` is its alternative text between dollar signs; text is in NFKC,
    #: without line ends, other white space is one space; all tables of the text are one. The source may be a
    #: fragment. The released code changes text with regular expressions, so that escaped tags become tags
    #: (``&lt;b&gt;``) and tags with attributes stay: here they do not.
    OMNIDOCBENCH = "omnidocbench"


def teds(
    prediction: str,
    truth: str,
    *,
    structure_only: bool = False,
    rules: TableRules = TableRules.PUBTABNET,
    ignored_tags: Sequence[str] = (),
) -> float:
    """Return the similarity of two tables.

    Args:
        prediction: HTML with the predicted table.
        truth: HTML with the table of the ground truth.
        structure_only: Whether cells are compared without their contents (TEDS-S).
        rules: How tables are read from the HTML.
        ignored_tags: Tags that are left out, their contents kept (``ignore_nodes`` of the released code).

    Returns:
        A value in [0, 1], higher is better; 0 if a text has no table.

    Raises:
        TableLimitError: A table exceeds a limit of this module.
    """
    trees = [
        table_tree(source, structure_only=structure_only, rules=rules, ignored_tags=ignored_tags)
        for source in (prediction, truth)
    ]
    return table_similarity(trees[0], trees[1])


def table_similarity(prediction: TextTree | None, truth: TextTree | None) -> float:
    """Return the similarity of two trees that ``table_tree`` made; 0 if there is none.

    Raises:
        TableLimitError: The trees take too long to compare.
    """
    if prediction is None or truth is None:
        return 0.0
    size = max(prediction.size, truth.size)
    if size == 0:
        return 1.0
    smaller, larger = sorted((prediction, truth), key=lambda tree: len(tree.kinds))
    if comparison_cost(smaller, larger) > MAX_COST:
        raise TableLimitError("two tables are nested so deeply that their comparison takes too long")
    (distance,) = tree_distances(smaller, [larger])
    return 1.0 - distance / size


def html_page(fragment: str) -> str:
    """Return a page whose body is a fragment, which the rules of ``PUBTABNET`` need."""
    return f"<html><body>{fragment}</body></html>"


def table_tree(
    source: str,
    *,
    structure_only: bool = False,
    rules: TableRules = TableRules.PUBTABNET,
    ignored_tags: Sequence[str] = (),
) -> TextTree | None:
    """Return the tree of the table in an HTML text; None if there is none. Its ``size`` is n of TEDS.

    Args:
        source: HTML.
        structure_only: Whether cells have no content.
        rules: How the table is read.
        ignored_tags: Tags that are left out, their contents kept.

    Raises:
        TableLimitError: The table exceeds a limit of this module.
    """
    if len(source) > MAX_CHARACTERS:
        raise TableLimitError(f"the HTML of a table has more than {MAX_CHARACTERS:,} characters")
    table = _TABLE[rules](source)
    if table is None:
        return None
    if ignored_tags:
        from lxml import etree

        etree.strip_tags(table, *ignored_tags)
    size = sum(1 for _ in table.iterdescendants())
    if size >= MAX_ELEMENTS:
        raise TableLimitError(f"a table has more than {MAX_ELEMENTS:,} elements")
    normal = _normal_text if rules is TableRules.OMNIDOCBENCH else str
    return _tree(table, size, structure_only, normal)


def _page(source: str, *, fragment: bool) -> HtmlElement | None:
    """Return the element that the parser makes of a text, which is the page if it is a page."""
    # lxml takes time to import, and few commands need it.
    from lxml import etree, html

    parser = html.HTMLParser(remove_comments=True, remove_pis=True, encoding="utf-8")
    page: HtmlElement
    try:
        text = html_page(source) if fragment else source
        page = html.fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError, AssertionError):
        return None
    return page


def _pubtabnet_table(source: str) -> HtmlElement | None:
    page = _page(source, fragment=False)
    return page.find("body/table") if page is not None else None


def _th_as_td_table(source: str) -> HtmlElement | None:
    table = _pubtabnet_table(source)
    for cell in table.iter("th") if table is not None else ():
        cell.tag = "td"
    return table


#: Elements whose tags the normalisation of OmniDocBench leaves out.
_UNWRAPPED = ("thead", "tbody", "span", "div", "p", "sub", "sup")


def _omnidocbench_table(source: str) -> HtmlElement | None:
    from lxml import etree

    page = _page(source, fragment=True)
    tables = [] if page is None else [one for one in page.iter("table") if not _within(one, "table")]
    if not tables:
        return None
    table = tables[0]
    for other in tables[1:]:
        table.extend(other)
    for cell in table.iter("th"):
        cell.tag = "td"
    for formula in list(table.iter("math")):
        formula.text = f"${formula.get('alttext', '')}$"
        del formula[:]
    etree.strip_elements(table, "colgroup", with_tail=False)
    etree.strip_tags(table, "math", *_UNWRAPPED)
    return table


def _within(element: HtmlElement, tag: str) -> bool:
    return next(element.iterancestors(tag), None) is not None


_TABLE: dict[TableRules, Callable[[str], HtmlElement | None]] = {
    TableRules.PUBTABNET: _pubtabnet_table,
    TableRules.TH_AS_TD: _th_as_td_table,
    TableRules.OMNIDOCBENCH: _omnidocbench_table,
}


def _normal_text(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text.replace("\n", "")))


def _tree(table: HtmlElement, size: int, structure_only: bool, normal: Callable[[str], str]) -> TextTree:
    depths: list[int] = []
    kinds: list[Hashable] = []
    texts: list[Sequence[str]] = []
    tokens = 0
    waiting: list[tuple[HtmlElement, int]] = [(table, 0)]
    while waiting:
        element, depth = waiting.pop()
        depths.append(depth)
        text: Sequence[str] = ""
        if element.tag == "td":
            kinds.append(("td", _span(element, "colspan"), _span(element, "rowspan")))
            if not structure_only:
                text = _joined(tuple(_tokens(element, normal)))
        else:
            kinds.append(str(element.tag))
            waiting += [(child, depth + 1) for child in reversed(element)]
        texts.append(text)
        tokens += len(text)
        if tokens > MAX_TOKENS:
            raise TableLimitError(f"the cells of a table have more than {MAX_TOKENS:,} characters and tags")
    return TextTree.of(depths, kinds, texts, size)


def _span(cell: HtmlElement, name: str) -> int:
    try:
        return int(cell.get(name, "1"))
    except ValueError:
        return 1


def _joined(tokens: tuple[str, ...]) -> Sequence[str]:
    """Return tokens as a string where each is one character: strings are compared faster."""
    text = "".join(tokens)
    return text if len(text) == len(tokens) else tokens


def _tokens(cell: HtmlElement, normal: Callable[[str], str]) -> Iterator[str]:
    """Yield the characters, and the opening and closing tags, that a cell contains.

    The released code leaves out what follows a cell within a cell, and the end of an element ``unk``.
    """
    from lxml import etree

    for event, element in etree.iterwalk(cell, events=("start", "end")):
        if event == "start":
            if element is not cell:
                yield f"<{element.tag}>"
            yield from normal(element.text or "")
        elif element is not cell:
            if element.tag != "unk":
                yield f"</{element.tag}>"
            if element.tag != "td":
                yield from normal(element.tail or "")
