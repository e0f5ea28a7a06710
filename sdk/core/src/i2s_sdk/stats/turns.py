"""The numbers of the turns of a run: after each answer of the conversations, and with the best of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from i2s_sdk.run.storage.manifest import GroupedSample
from i2s_sdk.run.storage.record import Record
from i2s_sdk.stats.means import Mean
from i2s_sdk.stats.spending import Spending, total_spending

#: Turns of a comparison beside numbers: the last answer, and the best one.
LAST, BEST = "last", "best"

#: What turns are called in commands and tables: a number from 1, LAST or BEST.
Turn = int | str


def parse_turn(text: str) -> Turn | None:
    """Return the turn of a text such as "2" or "last"; None if it is not one."""
    if text in (LAST, BEST):
        return text
    return int(text) if text.isascii() and text.isdecimal() and int(text) > 0 else None


@dataclass(frozen=True, slots=True)
class TurnRow:
    """The numbers of a task after a turn, of all its samples."""

    #: Number of the turn, or BEST.
    turn: Turn
    #: Samples that have a score.
    scored: int
    #: Samples that have an image.
    rendered: int
    #: The value of each metric, and the share of usable samples; see ``TaskResult.values``.
    values: Mapping[str, Mean]
    #: What the answers took up to this turn; of BEST, all answers.
    spending: Spending

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return {**asdict(self), "spending": self.spending.to_json()}


@dataclass(frozen=True, slots=True)
class TaskTurns:
    """The turns of a task."""

    #: Metric by which the best answer of a sample is chosen, with its reference: an upper bound.
    best_by: str
    #: After each turn. A conversation that has ended keeps its last answer.
    rows: tuple[TurnRow, ...]
    #: With the best answer of each sample.
    best: TurnRow
    #: How many conversations ended before the last turn, by why.
    ended: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return {
            "best_by": self.best_by,
            "rows": [row.to_json() for row in self.rows],
            "best": self.best.to_json(),
            "ended": dict(sorted(self.ended.items())),
        }


def at_turn(
    first: Record, later: Sequence[Record], turn: Turn, turns: int, main: Sequence[str]
) -> Record | None:
    """Return the answer of a sample that counts after a turn.

    Args:
        first: Record of the first answer.
        later: Records of those after it, in order.
        turn: Number of the turn, LAST or BEST.
        turns: Answers of a conversation at most.
        main: Metrics by the mean of which the best answer is chosen; of equal ones a usable one, then the
            earliest.

    Returns:
        The record of that turn; of a conversation that ended before, that of its last answer, which is never
        a record that keeps the answer before it. None if the conversation is to go on and has not
        come so far.
    """
    records = (first, *later)
    if turn == BEST:
        if _unfinished(records[-1], turns):
            return None
        if not records[-1].outcome.counts:  # the conversation goes on when the run is resumed
            return records[-1]
        return max(records, key=lambda record: (_main_value(record, main), record.usable, -record.turn.turn))
    number = turns if turn == LAST else int(turn)
    reached = [first, *(record for record in later if record.turn.turn <= number)]
    if _unfinished(reached[-1], number):
        return None
    return reached[-2] if reached[-1].keeps_answer_before else reached[-1]


def _main_value(record: Record, main: Sequence[str]) -> float:
    """Return the mean of those of some metrics that are defined for a sample; -1 if none is."""
    values = [value for name in main if (value := record.score.metrics.get(name)) is not None]
    return math.fsum(values) / len(values) if values else -1.0


def _unfinished(record: Record, turns: int) -> bool:
    """Return whether a conversation goes on behind a record, before so many turns."""
    return record.outcome.counts and record.turn.ended is None and record.turn.turn < turns


def records_at(
    records: Mapping[str, Record],
    later: Mapping[str, Sequence[Record]],
    turn: Turn,
    turns: int,
    main: Callable[[str], Sequence[str]],
) -> dict[str, Record]:
    """Return the answers of a run that count after a turn, by instance; see ``at_turn``.

    Args:
        records: Records of first answers by instance.
        later: Records of those after them.
        turn: Number of the turn, LAST or BEST.
        turns: Answers of a conversation at most.
        main: Returns the metrics whose mean is the main metric of a task.
    """
    chosen = {
        name: at_turn(record, later.get(name, ()), turn, turns, main(record.instance.task))
        for name, record in records.items()
    }
    return {name: record for name, record in chosen.items() if record is not None}


def spending_until(
    instances: Iterable[GroupedSample],
    records: Mapping[str, Record],
    later: Mapping[str, Sequence[Record]],
    turn: int,
) -> Spending:
    """Return what the answers of samples took, up to a turn."""
    ids = [instance.id for instance in instances if instance.id in records]
    answers = [records[name] for name in ids]
    answers += [record for name in ids for record in later.get(name, ()) if record.turn.turn <= turn]
    return total_spending(answers)


def ends(records: Mapping[str, Record], later: Mapping[str, Sequence[Record]], task: str) -> dict[str, int]:
    """Return how many conversations of a task ended before the last turn, by why."""
    own = [(record, *later.get(name, ())) for name, record in records.items() if record.instance.task == task]
    return dict(Counter(str(one[-1].turn.ended) for one in own if one[-1].turn.ended is not None))
