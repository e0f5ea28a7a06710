r"""Reading and normal forms of profile ``reference``: those of OmniDocBench v1.5.

Source: the released code of 2025-09-25 (``md_tex_filter``, ``textblock2unicode``, ``normalized_formula``,
``clean_string``), in words of this project. LaTeX tables, which it leaves unscored, are tables as in v1.6.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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

_FENCES = (
    re.compile(r"^```(?:markdown|html|latex)\n?", re.MULTILINE),
    re.compile(r"```\n?$", re.MULTILINE),
)
_REPEATED = (re.compile(r"_{4,}"), "____"), (re.compile(r" {4,}"), "    ")
_HTML_TAGS = ("<html>", "</html>", "<body>", "</body>")
_HTML_TABLE = re.compile(r"<table[^<>]*>")
_TABLE, _TABULAR = re.compile(r"\\begin\{table\}"), re.compile(r"\\begin\{tabular\}")
_OPENING = re.compile(r"\$\$?|\\\[|\\\(")
_CLOSINGS = {"$$": "$$", "$": "$", r"\[": r"\]", r"\(": r"\)"}
_RULE_ROW = re.compile(r"---|:-|-:")


def read_released(markdown: str) -> list[PredictedBlock]:
    """Return the blocks of a prediction: tables and formulas, then the paragraphs of what is left."""
    text = without_images(markdown)
    for fence in _FENCES:
        text = fence.sub("", text)
    for repeated, shorter in _REPEATED:
        text = repeated.sub(shorter, text)
    for tag in _HTML_TAGS:
        text = text.replace(tag, "")
    blocks: list[PredictedBlock] = []
    for opening, closing, kind in (
        (_TABLE, r"\end{table}", PredictedKind.LATEX_TABLE),
        (_TABULAR, r"\end{tabular}", PredictedKind.LATEX_TABLE),
        (_HTML_TABLE, "</table>", PredictedKind.HTML_TABLE),
    ):
        spans = outermost_spans(text, opening, closing)
        blocks += [PredictedBlock(kind, text[start:end], start) for start, end in spans]
        text = blanked(text, spans)
    formulas = list(_formulas(text))
    blocks += [predicted_block for predicted_block, _ in formulas]
    text = blanked(
        text, [span for predicted_block, span in formulas if predicted_block.kind is PredictedKind.FORMULA]
    )
    tables = _pipe_tables(text)
    blocks += [PredictedBlock(PredictedKind.HTML_TABLE, html, span[0]) for span, html in tables]
    text = blanked(text, [span for span, _ in tables])
    for command in ("title", "text", "section*", "section"):
        text = _without_command(text, command)
    return blocks + list(_paragraphs(text))


def _formulas(text: str) -> Iterator[tuple[PredictedBlock, Span]]:
    r"""Yield formulas with their places: displayed in ``$$`` and ``\[``, within text in ``$`` and ``\(``."""
    missing: set[str] = set()
    at = 0
    while opening := _OPENING.search(text, at):
        mark, start = opening.group(), opening.start()
        end = -1
        for one in (mark, "$") if mark == "$$" else (mark,):
            if one not in missing:
                end = text.find(_CLOSINGS[one], start + len(one))
                if end >= 0:
                    mark = one
                    break
                missing.add(one)
        if end < 0:
            at = start + len(mark)
            continue
        content, after = text[start + len(mark) : end], end + len(_CLOSINGS[mark])
        at = after
        if content.strip():
            displayed = mark == "$$" or (mark == r"\[" and "$" not in content)
            kind = PredictedKind.FORMULA if displayed else PredictedKind.INLINE
            yield PredictedBlock(kind, " ".join(content.strip().split("\n")), start), (start, after)


def _pipe_tables(text: str) -> list[tuple[Span, str]]:
    """Return tables of lines that begin and end with a bar, as HTML without head, if there are two lines."""
    runs: list[list[tuple[Span, str]]] = []
    place, within, count = 0, False, 0
    for line in text.split("\n"):
        row = line.strip()
        is_row = len(row) > 1 and row.startswith("|") and row.endswith("|")
        if is_row:
            count += 1
            if not within:
                runs.append([])
            runs[-1].append(((place, place + len(line)), row))
        within = is_row
        place += len(line) + 1
    if count < 2:
        return []
    return [((run[0][0][0], run[-1][0][1]), _html(row for _, row in run)) for run in runs]


def _html(rows: Iterator[str]) -> str:
    lines = [
        "<tr>" + "".join(f"<td>{cell.strip()}</td>" for cell in row.split("|")[1:-1]) + "</tr>"
        for row in rows
        if not _RULE_ROW.search(row)
    ]
    return f"<table>{''.join(lines)}</table>"


def _without_command(text: str, name: str) -> str:
    """Return a text with the arguments of a command, up to the next closing brace, in place of it."""
    parts = text.split(f"\\{name}")
    kept = [parts[0]]
    for part in parts[1:]:
        rest = part.lstrip()
        end = rest.find("}") if rest.startswith("{") else -1
        kept.append(rest[1:end].strip() + rest[end + 1 :] if end >= 0 else f"\\{name}{part}")
    return "".join(kept)


def _paragraphs(text: str) -> Iterator[PredictedBlock]:
    """Yield what empty lines divide; if there is none, the lines."""
    separator = "\n\n" if "\n\n" in text else "\n"
    place = 0
    for piece in text.split(separator):
        content = "\n".join(line.strip() for line in piece.strip().split("\n") if line.strip())
        if content.startswith("$") and content.endswith("$"):
            if formula := content.strip("$ \n"):
                yield PredictedBlock(PredictedKind.FORMULA, formula, place)
        elif content:
            yield PredictedBlock(PredictedKind.TEXT, content, place)
        place += len(piece) + len(separator)


_ESCAPED = re.compile(r"\\([\\_&%^])")
_NOT_WORD = re.compile(r"[^\w\u4e00-\u9fff]")
# The released code takes away what looks like an escaped tab or line end, even in words such as "and/text".
_ESCAPES = ("\\t", "\\n", "\t", "\n", "/t", "/n")


def text_form(text: str) -> str:
    """Return the letters, digits and underscores of a text; formulas with a command become Unicode."""
    text = "\n".join(
        _with_unicode(line) if "$" in line or "\\(" in line else line for line in text.split("\n")
    )
    for escape in _ESCAPES:
        text = text.replace(escape, "")
    return _NOT_WORD.sub("", text)


def _with_unicode(line: str) -> str:
    kept: list[str] = []
    done, missing = 0, set[str]()
    at = 0
    while opening := re.compile(r"\$|\\\(").search(line, at):
        mark, start = opening.group(), opening.start()
        end = -1 if mark in missing else line.find(_CLOSINGS[mark], start + len(mark))
        if end < 0:
            missing.add(mark)
            at = start + len(mark)
            continue
        at = end + len(_CLOSINGS[mark])
        formula = _ESCAPED.sub("", line[start + len(mark) : end])
        if any(sign in formula for sign in r"\^_"):
            converted = latex_as_text(formula + " " if formula.endswith("\\") else formula)
            if converted is not None:
                kept += (line[done:start], converted.strip())
                done = at
    return "".join((*kept, line[done:]))


_DROPPED_ARGUMENTS = (r"\tag{", r"\hspace{", r"\begin{", r"\end{", r"\arraycolsep")
_DROPPED = (
    r"\mathbf", r"\mathrm", r"\mathnormal", r"\mathit", r"\mathbb", r"\mathcal", r"\mathscr", r"\mathfrak",
    r"\mathsf", r"\mathtt", r"\textbf", r"\text", r"\boldmath", r"\boldsymbol", r"\operatorname", r"\bm",
    r"\symbfit", r"\mathbfcal", r"\symbf", r"\scriptscriptstyle", r"\notag", r"\setlength", r"\coloneqq",
    r"\space", r"\thickspace", r"\thinspace", r"\medspace", r"\nobreakspace", r"\negmedspace", r"\quad",
    r"\qquad", r"\enspace", r"\substackw", " ", "$$", r"\left", r"\right", r"\displaystyle", r"\text",
)  # fmt: skip


def formula_form(latex: str) -> str:
    """Return a formula in lower case, without blanks, fonts, spacing, environments and tags."""
    text = latex.strip().strip("$").strip("\n")
    start, end = text.find(r"\["), text.rfind(r"\]")
    if 0 <= start < end:
        text = text[start + 2 : end].strip()
    for beginning in _DROPPED_ARGUMENTS:
        text = _without_up_to_brace(text, beginning)
    text = text.strip(".")
    for dropped in _DROPPED:
        text = text.replace(dropped, "")
    return text.lower()


def _without_up_to_brace(text: str, beginning: str) -> str:
    kept: list[str] = []
    done = 0
    while (start := text.find(beginning, done)) >= 0:
        end = text.find("}", start + len(beginning))
        if end < 0:
            break
        kept.append(text[done:start])
        done = end + 1
    return "".join((*kept, text[done:]))


#: The rules of the released code.
RELEASED = BlockRules(read_released, text_form, formula_form, formula_form, joint="", released=True)
