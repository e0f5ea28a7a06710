"""The ladder as tables and as an image: how often each metric orders graded answers as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from i2s_sdk.report import figures
from i2s_sdk.stats.ladder import PairKind, TaskLadder
from i2s_sdk.stats.means import Mean
from i2s_sdk.tasks.graded import Rung
from i2s_sdk.tasks.registry import task_spec

#: The heads of a table behind the metric.
HEADS = (*(str(kind) for kind in PairKind), "n")

#: Of the recommended metric, the least share of right answers in another form over half an answer that is
#: not named.
_BAR = 0.95

#: Colours of answers: right ones, degraded ones from dark to light, and those that know nothing.
_COLORS = {
    Rung.PERFECT: "#1a7f37",
    Rung.EQUIVALENT: "#57ab5a",
    Rung.ONE_WRONG: "#0b5394",
    Rung.TENTH_MISSING: "#3d85c6",
    Rung.HALF_MISSING: "#9fc5e8",
    Rung.OTHER: "#b45309",
    Rung.BLANK: "#7f7f7f",
    Rung.CONSTANT: "#a61c00",
}


def ladder_rows(one: TaskLadder) -> list[tuple[str, ...]]:
    """Return the rows of a table: metric, shares of pairs, number of instances."""
    return [
        (
            order.metric,
            *(_share(order.shares[kind]) for kind in PairKind),
            str(order.shares[PairKind.ALL].n),
        )
        for order in one.metrics
    ]


def ladder_notes(one: TaskLadder) -> Iterator[str]:
    """Yield what a reader of a table must know."""
    name = f"{one.task} {one.subset}".strip()
    lost = f"; {one.left_out} that did not render or could not be made are left out" if one.left_out else ""
    yield f"{name}: instances {one.instances}, answers {one.judged}{lost}"
    recommended = task_spec(one.task).headline_metrics[-1]
    for order in one.metrics:
        low = [
            f"{form} ({figures.value(mean.value)} of pairs right)"
            for form, mean in order.forms.items()
            if mean.value is not None and mean.value < (_BAR if order.metric == recommended else 0.5)
        ]
        if low:
            yield f"{name}: {order.metric} puts right answers below half an answer: in {', '.join(low)}"
    if recommended in (order.metric for order in one.metrics):
        yield f"{name}: the recommended metric is {recommended}"


def ladder_markdown(tasks: Sequence[TaskLadder]) -> str:
    """Return the tables of tasks as Markdown, with intervals."""
    lines = []
    for task in tasks:
        lines += ["", f"| {task.task} {task.subset} | {' | '.join(HEADS)} |", "|---" * (len(HEADS) + 1) + "|"]
        lines += [f"| `{row[0]}` | {' | '.join(row[1:])} |" for row in ladder_rows(task)]
        forms = list(dict.fromkeys(form for order in task.metrics for form in order.forms))
        if forms:
            head = f"| {task.task} {task.subset}, right answers over half an answer | "
            lines += ["", head + f"{' | '.join(forms)} |", "|---" * (len(forms) + 1) + "|"]
        for order in task.metrics if forms else ():
            cells = (_share(order.forms[form]) for form in forms)
            lines.append(f"| `{order.metric}` | {' | '.join(cells)} |")
    return "\n".join(lines[1:]) + "\n"


def _share(mean: Mean) -> str:
    ends = figures.interval(mean)
    return f"{figures.value(mean.value)}{f' ({ends})' if ends and mean.interval else ''}"


_LEFT, _WIDTH, _ROW, _TOP = 190, 560, 26, 54


def ladder_svg(tasks: Sequence[TaskLadder]) -> str:
    """Return an image of the mean value of each grade of answers, a row for each metric of each task."""
    shown = [task for task in tasks if not task.subset]
    height = _TOP + sum(_ROW * (len(task_ladder.metrics) + 1) for task_ladder in shown) + 10
    width = _LEFT + _WIDTH + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        *_legend(),
    ]
    for tenth in range(0, 11, 2):
        x = _LEFT + _WIDTH * tenth / 10
        parts.append(f'<line x1="{x}" x2="{x}" y1="{_TOP}" y2="{height - 6}" stroke="#eee"/>')
        parts.append(f'<text x="{x}" y="{_TOP}" text-anchor="middle" fill="#777">{tenth / 10:g}</text>')
    at = _TOP
    for task_ladder in shown:
        parts.append(f'<text x="8" y="{at + 17}" font-weight="bold">{escape(task_ladder.task)}</text>')
        at += _ROW
        for order in task_ladder.metrics:
            parts += _row(order.metric, order.means, at)
            at += _ROW
    return "\n".join([*parts, "</svg>", ""])


def _legend() -> Iterator[str]:
    for number, (rung, color) in enumerate(_COLORS.items()):
        x, y = 12 + number % 4 * 180, 16 + number // 4 * 18
        yield f'<circle cx="{x}" cy="{y - 4}" r="5" fill="{color}"/><text x="{x + 10}" y="{y}">{rung}</text>'


def _row(metric: str, means: Mapping[str, float], at: int) -> Iterator[str]:
    middle = at + _ROW / 2
    yield f'<text x="20" y="{middle + 4}">{escape(metric)}</text>'
    yield f'<line x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{middle}" y2="{middle}" stroke="#ddd"/>'
    for name, value in sorted(means.items(), key=lambda item: item[0] == Rung.PERFECT):
        rung = Rung(name) if name in tuple(Rung) else Rung.EQUIVALENT
        x = _LEFT + _WIDTH * min(1.0, max(0.0, value))
        said = escape(f"{name}: {value:.3f}")
        mark = f'<circle cx="{x:.1f}" cy="{middle}" r="5" fill="{_COLORS[rung]}" fill-opacity="0.8">'
        yield f"{mark}<title>{said}</title></circle>"
