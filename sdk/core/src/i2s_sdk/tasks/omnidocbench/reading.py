r"""Reading and normal forms of profile ``paper``.

Unlike the released code: code stays whole and nothing in it is a formula or a table; formulas are those in
``$$``, ``\[``, a displayed environment of LaTeX, or within a line in ``$`` and ``\(``, where a dollar before
white space or a digit after it is none; tables in Markdown are those with a row of dashes, and escaped bars
divide no cells; headings are paragraphs, and so are lines if no line is empty; comments are left out; texts
keep their punctuation and symbols; formulas keep their case.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from html import escape, unescape

from i2s_sdk.tasks.omnidocbench.blocks import (
    BlockRules,
    PredictedBlock,
    PredictedKind,
    Span,
    blanked,
    latex_as_text,
    outermost_spans,
    without_images,
)

_LINE_ENDS = re.compile(r"\r\n?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HTML_TABLE = re.compile(r"<table\b[^<>]*>", re.IGNORECASE)
_TABLE, _TABULAR = re.compile(r"\\begin\{table\*?\}"), re.compile(r"\\begin\{tabular[*x]?\}")
_ENVIRONMENTS = ("equation", "align", "gather", "multline", "eqnarray", "displaymath", "flalign", "alignat")
_ENVIRONMENT = re.compile(rf"\\begin\{{(?:{'|'.join(_ENVIRONMENTS)})\*?\}}")
_OPENING = re.compile(r"(?<!\\)\$\$|(?<!\\)\\\[|\\begin\{")
_INLINE = re.compile(r"(?<!\\)\$(?!\$)|(?<!\\)\\\(")
_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?")
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_COMMENT = re.compile(r"<!--[^<>]*-->")
_CELL_END = re.compile(r"(?<!\\)\|")


def read_own(markdown: str) -> list[PredictedBlock]:
    """Return the blocks of a prediction: code, tables and formulas, then the paragraphs of what is left."""
    text = _LINE_ENDS.sub("\n", markdown).replace("\x00", "\ufffd")
    each_line = _EMPTY_LINE.search(text.strip()) is None
    blocks: list[PredictedBlock] = []
    code = list(_code_spans(text))
    for start, end in code:
        if content := "\n".join(text[start:end].split("\n")[1:]).strip().strip("`~").strip():
            blocks.append(PredictedBlock(PredictedKind.TEXT, content, start))
    text = without_images(blanked(text, code, keep_lines=True), blank=True)
    text = _COMMENT.sub(lambda match: " " * len(match.group()), text)
    for opening, closings, kind in (
        (_TABLE, (r"\end{table}", r"\end{table*}"), PredictedKind.LATEX_TABLE),
        (_TABULAR, (r"\end{tabular}", r"\end{tabular*}", r"\end{tabularx}"), PredictedKind.LATEX_TABLE),
        (_HTML_TABLE, ("</table>",), PredictedKind.HTML_TABLE),
    ):
        for closing in closings:
            spans = outermost_spans(text, opening, closing)
            blocks += [PredictedBlock(kind, text[start:end], start) for start, end in spans]
            text = blanked(text, spans, keep_lines=True)
    formulas = list(_displayed(text))
    blocks += [predicted_block for predicted_block, _ in formulas]
    text = blanked(text, [span for _, span in formulas], keep_lines=True)
    tables = list(_pipe_tables(text))
    blocks += [PredictedBlock(PredictedKind.HTML_TABLE, html, span[0]) for span, html in tables]
    text = blanked(text, [span for span, _ in tables], keep_lines=True)
    for block in _paragraphs(text, each_line):
        blocks.append(block)
        blocks += _inline(block)
    return blocks


def _code_spans(text: str) -> Iterator[Span]:
    """Yield where fenced code stands, as in CommonMark; a fence that is not closed is no code."""
    start, fence, place = -1, "", 0
    for line in text.split("\n"):
        opening = _FENCE.match(line)
        mark = opening.group(1) if opening else ""
        if fence:
            if mark.startswith(fence) and not line.strip().strip(mark[0]):
                yield start, place + len(line)
                fence = ""
        elif mark and not (mark[0] == "`" and "`" in line.strip().lstrip("`")):
            start, fence = place, mark
        place += len(line) + 1


def _displayed(text: str) -> Iterator[tuple[PredictedBlock, Span]]:
    """Yield displayed formulas with their places; no empty line is within one in dollars."""
    missing: set[str] = set()
    at = 0
    while opening := _OPENING.search(text, at):
        start, mark = opening.start(), opening.group()
        at = opening.end()
        if mark == r"\begin{":
            environment = _ENVIRONMENT.match(text, start)
            if environment is None:
                continue
            closing = environment.group().replace("begin", "end", 1)
            inner, outer = start, len(closing)
        else:
            closing = "$$" if mark == "$$" else r"\]"
            inner, outer = start + 2, 0
        end = -1 if closing in missing else text.find(closing, at)
        if end < 0:
            missing.add(closing)
            continue
        content = text[inner : end + outer]
        if mark == "$$" and "\n\n" in content:
            continue
        at = end + len(closing)
        if content.strip():
            yield PredictedBlock(PredictedKind.FORMULA, content.strip(), start), (start, at)


def _pipe_tables(text: str) -> Iterator[tuple[Span, str]]:
    """Yield tables in Markdown: a line, a row of dashes, and the lines with bars that follow."""
    lines = text.split("\n")
    places = [0]
    for line in lines:
        places.append(places[-1] + len(line) + 1)
    at = 1
    while at < len(lines):
        if "|" in lines[at - 1] and "-" in lines[at] and _is_rule(lines[at]):
            end = at + 1
            while end < len(lines) and "|" in lines[end]:
                end += 1
            html = _html(lines[at - 1], lines[at + 1 : end])
            yield (places[at - 1], places[end] - 1), html
            at = end
        at += 1


def _is_rule(line: str) -> bool:
    row = line.strip()
    return not row.strip("|:- \t") and bool(_RULE.fullmatch(row))


def _html(head: str, rows: Sequence[str]) -> str:
    cells = _cells(head)
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in cells)]
    for row in rows:
        texts = _cells(row)[: len(cells)]
        texts += [""] * (len(cells) - len(texts))
        lines.append("".join(f"<td>{escape(text)}</td>" for text in texts))
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _cells(row: str) -> list[str]:
    text = row.strip().removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    return [unescape(one.strip().replace("\\|", "|")) for one in _CELL_END.split(text)]


def _paragraphs(text: str, each_line: bool) -> Iterator[PredictedBlock]:
    """Yield what empty lines and headings divide, or each line."""
    lines: list[str] = []
    start = place = 0
    for line in (*text.split("\n"), ""):
        stripped = line.strip()
        heading = stripped.startswith("#")
        if lines and (not stripped or heading or each_line):
            yield PredictedBlock(PredictedKind.TEXT, "\n".join(lines), start)
            lines = []
        if heading:
            yield PredictedBlock(PredictedKind.TEXT, stripped, place)
        elif stripped:
            start = start if lines else place
            lines.append(stripped)
        place += len(line) + 1


def _inline(block: PredictedBlock) -> Iterator[PredictedBlock]:
    place = block.place
    for line in block.content.split("\n"):
        for start, end, formula in _inline_spans(line):
            if formula.strip():
                yield PredictedBlock(PredictedKind.INLINE, formula.strip(), place + start)
            del end
        place += len(line) + 1


def _inline_spans(line: str) -> Iterator[tuple[int, int, str]]:
    """Yield where formulas stand within a line, and their LaTeX."""
    missing: set[str] = set()
    at = 0
    while opening := _INLINE.search(line, at):
        start, mark = opening.start(), opening.group()
        at = opening.end()
        if mark in missing or (mark == "$" and line[at : at + 1].isspace()):
            continue
        end = line.find("$" if mark == "$" else r"\)", at)
        while mark == "$" and end > 0 and (line[end - 1] in "\\ " or line[end + 1 : end + 2].isdigit()):
            end = line.find("$", end + 1)
        if end < 0:
            missing.add(mark)
            continue
        formula = line[at:end]
        at = end + len(mark)
        yield start, at, formula


_MARKS = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+•][ \t]+)|[ \t]#+[ \t]*$|</?[A-Za-z][^<>]{0,200}>|(?<!\\)[*`]+"
    r"|(?<![\w\\])_+(?=\w)|(?:(?<=[^\W_])|(?<=\\_))_++(?!\w)|(?<=_)_(?!\w)",
    re.MULTILINE,
)
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_BESIDE_WIDE = re.compile(f"(?<=[{_WIDE}]) | (?=[{_WIDE}])")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~$&%])")
_SAME = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "′": "'", "“": '"', "”": '"', "„": '"', "″": '"', "«": '"', "»": '"',
        "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "­": None, "\u200b": None, "·": "•", "∙": "•",
        "，": ",", "。": ".", "、": ",", "；": ";", "：": ":", "？": "?", "！": "!", "（": "(", "）": ")",
    }
)  # fmt: skip


def text_form(text: str) -> str:
    """Return the words of a text without marks of Markdown, one blank between two; formulas are Unicode.

    Characters are those of NFKC; quotation marks, dashes and full-width punctuation are their plain forms.
    Blanks beside Chinese, Japanese and Korean characters and within formulas are left out.
    """
    lines = [_with_unicode(line) if "$" in line or "\\(" in line else line for line in text.split("\n")]
    bare = _ESCAPE.sub(r"\1", _MARKS.sub("", unescape("\n".join(lines))))
    plain = unicodedata.normalize("NFKC", bare.translate(_SAME)).translate(_SAME)
    return _BESIDE_WIDE.sub("", " ".join(plain.split()))


def _with_unicode(line: str) -> str:
    kept: list[str] = []
    done = 0
    for start, end, formula in _inline_spans(line):
        converted = latex_as_text(formula)
        kept += (line[done:start], "".join((formula if converted is None else converted).split()))
        done = end
    return "".join((*kept, line[done:]))


_DELIMITERS = ((r"\[", r"\]"), (r"\(", r"\)"), ("$$", "$$"), ("$", "$"))
_SPACING = re.compile(
    r"\\(?:[,;:!> ]|(?:quad|qquad|enspace|thinspace|medspace|thickspace|displaystyle|textstyle|limits"
    r"|nolimits|nonumber|notag|left|right|[bB]igg?[lrm]?)(?![A-Za-z]))|~"
)
_LABEL = re.compile(r"\\(?:label|tag\*?)[ \t]*\{[^{}]*\}")


def bare_formula(latex: str) -> str:
    """Return the LaTeX of a formula without delimiters, labels and numbers."""
    text = latex.strip()
    for left, right in 2 * _DELIMITERS:
        if len(text) >= len(left) + len(right) and text.startswith(left) and text.endswith(right):
            text = text[len(left) : len(text) - len(right)].strip()
    return _LABEL.sub("", text).strip()


def formula_form(latex: str) -> str:
    """Return a formula without white space, spacing, sizes of brackets, delimiters, labels and numbers."""
    return "".join(_SPACING.sub("", bare_formula(latex)).split())


def matched_form(latex: str) -> str:
    """Return a formula as text, by which it is matched: with formulas and with texts alike."""
    bare = bare_formula(latex)
    return text_form(latex_as_text(bare) or bare) or formula_form(latex)


#: The rules of this project.
OWN = BlockRules(read_own, text_form, formula_form, matched_form, joint=" ", released=False)
