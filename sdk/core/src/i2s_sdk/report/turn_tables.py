"""Tables of the turns of runs: after each answer, and with the best of them, with what the answers took."""

from __future__ import annotations

from collections.abc import Sequence

from i2s_sdk.report import figures
from i2s_sdk.report.tables import Cell, Heading, PaperTable, TableRow, metric_title
from i2s_sdk.stats.aggregate import RENDERED, Summary, TaskResult
from i2s_sdk.stats.turns import TaskTurns, TurnRow
from i2s_sdk.tasks.registry import task_spec

#: What a reader of these tables must know.
ABOUT_TURNS = (
    "By answer: values after each answer; a conversation that has ended keeps its last one. The first "
    "answers are the result of the run. Tokens and cost are of all answers up to the row.",
    "best: of each sample the answer with the highest main metric. It is chosen with the reference, which no "
    "model has: an upper bound.",
)

#: Words for the ends of conversations, by ``TurnEnd``.
_ENDS = {
    "done": "the model said that it was done",
    "unchanged": "it gave the same structure again",
    "refused": "it refused",
    "no_answer": "there was no answer to show it",
    "no_turn": "the model has no further turn, or rejects its question",
}


def turn_table(
    task: str, runs: Sequence[tuple[str, Summary]], *, main_only: bool = False
) -> PaperTable | None:
    """Return the turns of a task in some runs, a row for each answer; None if no run has turns.

    Args:
        task: Name of the task.
        runs: Names and numbers of runs.
        main_only: Whether with the main metric and the share of renderings alone, and without ABOUT_TURNS.
    """
    own = [(label, summary.turns[task], summary) for label, summary in runs if task in summary.turns]
    if not own:
        return None
    best_by, several = own[0][1].best_by, len(own) > 1
    names = list(dict.fromkeys(name for _, turns, _ in own for name in turns.best.values))
    if main_only:
        names = [name for name in names if name in (RENDERED, best_by)]
    lines = [
        _line(label if several else "", row, names, summary.tasks[task])
        for label, turns, summary in own
        for row in (*turns.rows, turns.best)
    ]
    headings = (
        *((Heading("Model"), Heading("Answer")) if several else (Heading("Answer"),)),
        Heading("Scored"),
        *(Heading(metric_title(task, name)) for name in names),
        *(Heading("Tokens in"), Heading("Tokens out"), Heading("Cost in $")),
    )
    ends = [note for label, turns, _ in own if (note := _ends(label if several else "", turns))]
    notes = ends if main_only else [*ABOUT_TURNS, *ends]
    return PaperTable(f"{task_spec(task).title}, by answer", headings, tuple(lines), tuple(notes))


def _line(label: str, row: TurnRow, names: Sequence[str], result: TaskResult) -> TableRow:
    """Return the row of an answer; the name of the run stands before it if there are several."""
    spent = row.spending
    known = spent.answers > spent.tokens_unknown
    cells: list[Cell] = [
        f"{row.values[RENDERED].n} of {result.total.planned}",
        *(row.values.get(name) for name in names),
        str(spent.input_tokens) if known else figures.NOTHING,
        str(spent.output_tokens) if known else figures.NOTHING,
        figures.NOTHING if spent.cost is None else f"{spent.cost:.4f}",
    ]
    answer = str(row.turn)
    return TableRow.of(label, [answer, *cells]) if label else TableRow.of(answer, cells)


def _ends(label: str, turns: TaskTurns) -> str:
    """Return why conversations ended; empty if all had as many answers as they could have."""
    if not turns.ended:
        return ""
    parts = [f"{count} as {_ENDS.get(why, why)}" for why, count in sorted(turns.ended.items())]
    others = turns.rows[0].scored - sum(turns.ended.values())
    rest = f"; the other {others} at answer {len(turns.rows)}, or not yet" if others > 0 else ""
    return f"{f'{label}: c' if label else 'C'}onversations ended: {', '.join(parts)}{rest}."
