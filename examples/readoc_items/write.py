"""Write an article as LaTeX, and as gold Markdown in the form of READOC's ``arxiv`` subset."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readoc_items.article import Article, Block, Display, Heading, Items, Paragraph, Table

_PARTS = re.compile(r"(\$[^$]+\$|\*[^*]+\*)")
_SPECIAL = {"%": r"\%", "&": r"\&", "#": r"\#", "_": r"\_", "°": r"\textdegree{}"}
_COMMANDS = {1: "section", 2: "subsection", 3: "subsubsection"}
_INNER = {"align": "aligned", "gather": "gathered"}
_PREAMBLE = r"""\documentclass[11pt,a4paper%(option)s]{article}
\pdfinfoomitdate=1 \pdfsuppressptexinfo=-1 \pdftrailerid{%(id)s} \pdfobjcompresslevel=2
%(fonts)s
\usepackage[utf8]{inputenc}
\usepackage{textcomp,amsmath,amssymb}
\usepackage[margin=%(margin)s]{geometry}
\input{glyphtounicode} \pdfgentounicode=1
\title{%(title)s}
\author{%(author)s}
\date{}
\begin{document}
\maketitle
"""


def latex(article: Article) -> str:
    """Return the LaTeX document of an article."""
    head = _PREAMBLE % {
        "option": ",twocolumn" if article.two_columns else "",
        "fonts": r"\usepackage[T1]{fontenc} \usepackage{mathptmx}" if article.two_columns else "",
        "margin": "2.2cm" if article.two_columns else "3.2cm",
        "id": article.id,
        "title": _tex(article.title),
        "author": _tex(article.author),
    }
    body = (block for one in article.blocks for block in _tex_block(one))
    abstract = f"\\begin{{abstract}}\n{_tex(article.abstract)}\n\\end{{abstract}}"
    return head + "\n\n".join((abstract, *body)) + "\n\\end{document}\n"


def _tex_block(block: Block) -> Iterator[str]:
    match block:
        case Heading(level, text):
            yield f"\\{_COMMANDS[level]}{{{_tex(text)}}}"
        case Paragraph(text):
            yield _tex(text)
        case Display("equation", (line,)):
            yield f"\\begin{{equation}}\n{line}\n\\end{{equation}}"
        case Display(kind, lines):
            yield f"\\begin{{{kind}*}}\n" + " \\\\\n".join(lines) + f"\n\\end{{{kind}*}}"
        case Items(items):
            yield (
                "\\begin{itemize}\n"
                + "\n".join(f"\\item {_tex(item)}" for item in items)
                + "\n\\end{itemize}"
            )
        case Table(caption, columns, rows):
            head, *body = (" & ".join(map(_tex_cell, row)) + r" \\" for row in rows)
            yield "\n".join(
                (
                    r"\begin{table}[htb]",
                    r"\centering",
                    f"\\begin{{tabular}}{{{columns}}}",
                    rf"\hline {head} \hline",
                    *body,
                    r"\hline",
                    r"\end{tabular}",
                    f"\\caption{{{_tex(caption)}}}",
                    r"\end{table}",
                )
            )


def _tex(text: str) -> str:
    return "".join(
        part
        if part.startswith("$")
        else rf"\emph{{{_escaped(part[1:-1])}}}"
        if part.startswith("*")
        else _escaped(part)
        for part in _PARTS.split(text)
    )


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(one, one) for one in text)


def _tex_cell(cell: str) -> str:
    width, bar, text = cell.rpartition("|")
    return rf"\multicolumn{{{width}}}{{c}}{{{_tex(text)}}}" if bar else _tex(text)


def markdown(article: Article) -> str:
    """Return the gold Markdown of an article, with the numbers that LaTeX gives."""
    blocks = [f"# {article.title}", article.author, "###### Abstract", _md(article.abstract)]
    sections, equations, tables = [0, 0, 0], 0, 0
    for block in article.blocks:
        match block:
            case Heading(level, text):
                sections[level - 1] += 1
                sections[level:] = [0] * (3 - level)
                number = ".".join(map(str, sections[:level]))
                blocks.append(f"{'#' * (level + 1)} {number} {_md(text)}")
            case Paragraph(text):
                blocks.append(_md(text))
            case Display("equation", (line,)):
                equations += 1
                blocks.append(f"\\[{line}\\] ({equations})")
            case Display(kind, lines):
                inner = _INNER[kind]
                blocks.append(f"\\[\\begin{{{inner}}} " + " \\\\ ".join(lines) + f" \\end{{{inner}}}\\]")
            case Items(items):
                blocks.append("\n".join(f"* {_md(item)}" for item in items))
            case Table():
                tables += 1
                blocks.append(_md_table(block, tables))
    return "\n\n".join(blocks) + "\n"


def _md_table(table: Table, number: int) -> str:
    rows = (" & ".join(map(_md_cell, row)) + r" \\ \hline" * (not at) for at, row in enumerate(table.rows))
    head, *body = rows
    lines = [head.replace(r" \hline", "\n\\hline"), *(f"{row} \\\\" for row in body)]
    columns = " ".join(table.columns)
    return (
        f"\\begin{{table}}\n\\begin{{tabular}}{{{columns}}}\n\\hline\n"
        + "\n".join(lines)
        + f"\n\\hline\n\\end{{tabular}}\n\\end{{table}}\nTable {number}: {_md(table.caption)}"
    )


def _md_cell(cell: str) -> str:
    width, bar, text = cell.rpartition("|")
    return rf"\multicolumn{{{width}}}{{c}}{{{_md(text)}}}" if bar else _md(text).replace("%", r"\%")


def _md(text: str) -> str:
    return "".join(
        rf"\({part[1:-1]}\)" if part.startswith("$") else f"_{part[1:-1]}_" if part.startswith("*") else part
        for part in _PARTS.split(text)
    )
