"""The page of a run: one file without scripts that needs nothing but the pictures beside it."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from i2s_sdk.report import figures
from i2s_sdk.report.card import card
from i2s_sdk.report.thumbnails import make_thumbnails
from i2s_sdk.runs.aggregate import Group, Summary, TaskResult
from i2s_sdk.runs.folder import REPORT, write_whole
from i2s_sdk.runs.manifest import Manifest
from i2s_sdk.runs.record import Record

# Nothing of a model or of a data set can run here, even if something were not escaped.
_POLICY = "default-src 'none'; img-src 'self' file: data:; style-src 'unsafe-inline'"


def write_page(folder: Path, manifest: Manifest, summary: Summary, records: Iterable[Record]) -> Path:
    """Write the page of a run into its folder and return its path."""
    page = folder / REPORT
    shown = list(records)
    digests = (digest for one in shown for digest in (one.reference_sha256, one.rendering_sha256) if digest)
    thumbnails = make_thumbnails(folder, digests)
    write_whole(page, render_page(manifest, summary, shown, thumbnails).encode("utf-8", "replace"))
    return page


def render_page(
    manifest: Manifest,
    summary: Summary,
    records: Sequence[Record],
    thumbnails: Mapping[str, str] | None = None,
) -> str:
    """Return the page; the numbers first, then a card for each sample, in the order given.

    Args:
        manifest: Of the run.
        summary: Its numbers.
        records: Its samples.
        thumbnails: Names of small copies by digest of the picture; the others are shown as they are.
    """
    options = manifest.options
    title = html.escape(f"{options.model}, profile {options.profile}")
    style = files("i2s_sdk.report").joinpath("page.css").read_text("utf-8")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title} · Image2Struct</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p>{summary.scored} of {summary.planned} samples scored</p>
{_facts(manifest)}
</header>
<main>
{"".join(_table(task, result) for task, result in summary.tasks.items())}
<p class="note">Means over all scored samples, where a failed rendering counts 0, and in parentheses over the
rendered ones. “Before repair” is the share whose first render had a picture.</p>
{_unavailable(manifest.unavailable)}
<h2>Samples</h2>
{"".join(card(record, thumbnails or {}) for record in records)}
</main>
</body>
</html>
"""


def _facts(manifest: Manifest) -> str:
    rows = []
    for name, fact in manifest.about.items():
        text = (
            ", ".join(f"{key} {one}" for key, one in fact.items()) if isinstance(fact, Mapping) else str(fact)
        )
        rows.append(f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>")
    return f"<dl>{''.join(rows)}</dl>"


def _table(task: str, result: TaskResult) -> str:
    head = ("subset", "scored", "rendered", "before repair", *result.total.metrics)
    cells = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    body = "".join(_row(group) for group in result.subsets)
    return f"""<h2>{html.escape(task)}</h2>
<div class="wide"><table>
<thead><tr>{cells}</tr></thead>
<tbody>{body}</tbody>
<tfoot>{_row(result.total)}</tfoot>
</table></div>
"""


def _row(group: Group) -> str:
    cells = (
        group.name,
        figures.scored(group),
        figures.share(group.share_rendered),
        figures.share(group.share_rendered_before_repair),
        *(figures.means(metric, group) for metric in group.metrics.values()),
    )
    return "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"


def _unavailable(reasons: Mapping[str, str]) -> str:
    return "".join(
        f'<p class="note">Not computed: {html.escape(name)} ({html.escape(reason)})</p>'
        for name, reason in reasons.items()
    )
