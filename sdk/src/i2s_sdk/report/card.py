"""One sample on the page: reference and rendering side by side, and what happened."""

from __future__ import annotations

import html
from collections.abc import Mapping

from i2s_sdk.report import figures
from i2s_sdk.runs.folder import picture_name
from i2s_sdk.runs.record import Record


def card(record: Record, thumbnails: Mapping[str, str]) -> str:
    """Return the HTML of one sample; everything that comes from outside is escaped.

    Args:
        record: Of the sample.
        thumbnails: Names of small copies by digest of the picture.
    """
    missing = "no rendering" if record.outcome.counts else "no score"
    return f"""<article>
<h3>{html.escape(record.id)} <span class="badge {_tone(record)}">{html.escape(_state(record))}</span></h3>
<p class="where">{html.escape(" · ".join(filter(None, (record.task, record.subset, record.difficulty))))}</p>
<div class="pair">
{_picture("reference", record.reference_sha256, "no reference", thumbnails)}
{_picture("rendering", record.rendering_sha256, missing, thumbnails)}
</div>
{_metrics(record)}
{_notes(record)}
{_text("structure", record.structure)}
{_text("completion", record.completion)}
</article>
"""


def _state(record: Record) -> str:
    named = record.verdict.name if record.verdict and record.outcome.counts else str(record.outcome)
    return named.lower().replace("_", " ")


def _tone(record: Record) -> str:
    if not record.outcome.counts:
        return "ours"
    return "good" if record.has_picture else "bad"


def _picture(caption: str, digest: str, missing: str, thumbnails: Mapping[str, str]) -> str:
    if digest:
        source = html.escape(picture_name(digest))
        small = html.escape(thumbnails.get(digest, picture_name(digest)))
        shown = f'<a href="{source}"><img src="{small}" alt="{caption}" loading="lazy"></a>'
    else:
        shown = f'<div class="missing">{missing}</div>'
    return f"<figure><figcaption>{caption}</figcaption>{shown}</figure>"


def _metrics(record: Record) -> str:
    cells = []
    for name, number in record.metrics.items():
        reason = html.escape(record.undefined.get(name, ""))
        cells.append(f'<li title="{reason}"><b>{html.escape(name)}</b> {figures.value(number)}</li>')
    return f'<ul class="metrics">{"".join(cells)}</ul>'


def _notes(record: Record) -> str:
    notes = [f"repair: {repair.kind}: {repair.detail}" for repair in record.repairs]
    if record.assets:
        notes.append(f"assets: {', '.join(record.assets)}")
    if record.has_picture and record.pages > 1:
        notes.append(f"page 1 of {record.pages} is shown")
    if record.error:
        line = f", line {record.error.line}" if record.error.line else ""
        notes.append(f"first error: {record.error.message} ({record.error.kind.lower()}{line})")
    elif record.message and not record.has_picture:
        notes.append(record.message)
    if record.failure:
        notes.append(f"{record.failure.kind}: {record.failure.message}")
    return f"<ul>{''.join(f'<li>{html.escape(note)}</li>' for note in notes)}</ul>" if notes else ""


def _text(title: str, content: str | None) -> str:
    if not content:
        return ""
    return f"<details><summary>{title}</summary><pre>{html.escape(content)}</pre></details>"
