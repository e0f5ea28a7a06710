"""Writing pipe tables as LaTeX, by way of the HTML that pandoc makes of them."""

from __future__ import annotations

from collections.abc import Mapping

from i2s_sdk.scoring.scorer import Conversion
from i2s_sdk.tasks.readoc.html_tables import latex_table, parsed_body
from i2s_wire.metrics.profile import Profile


def pipe_tables(text: str) -> tuple[str, ...]:
    """Return the distinct runs of two or more lines that begin and end with ``|``, in order."""
    found: dict[str, None] = {}
    run: list[str] = []
    for line in (*text.split("\n"), ""):
        stripped = line.strip()
        if stripped.startswith("|") and stripped.endswith("|"):
            run.append(line)
            continue
        if len(run) > 1:
            found["\n".join(run)] = None
        run = []
    return tuple(found)


def table_conversions(text: str) -> tuple[Conversion, ...]:
    """Return what pandoc has to convert before ``with_latex_tables``."""
    return tuple(Conversion("markdown", table) for table in pipe_tables(text))


def with_latex_tables(text: str, conversions: Mapping[str, str | None], profile: Profile) -> str:
    """Return the text with each pipe table as a LaTeX table, wherever the same text stands.

    What pandoc cannot convert, or does not find to be a table with head and body, stays as it is.

    Args:
        text: A document after ``before_tables``.
        conversions: HTML by the keys of ``table_conversions``.
        profile: How the texts of cells are read.
    """
    for conversion in table_conversions(text):
        table = _as_latex(conversions.get(conversion.key), profile)
        if table is not None:
            text = text.replace(conversion.text, table)
    return text


def _as_latex(fragment: str | None, profile: Profile) -> str | None:
    body = parsed_body(fragment) if fragment else None
    return latex_table(body, profile) if body is not None else None
