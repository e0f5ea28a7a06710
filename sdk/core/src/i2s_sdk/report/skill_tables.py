"""Tables of skill, and columns of skill in other tables: runs between floor and ground truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.tables import Cell, Heading, PaperTable, TableRow
from i2s_sdk.stats.skill import Skill
from i2s_sdk.tasks.registry import SPECS

_NOTE = (
    "Skill = (value - floor) / (ceiling - floor), over the instances of the run. The floor is the best of "
    "the baselines that look at nothing, the ceiling the oracle if there is one, else 1."
)

#: What stands in the place of a skill that is not known or not defined.
NO_FLOOR, UNDEFINED = "no floor", "undefined"

_GROUP_HEADINGS = (Heading("Skill"), Heading("Floor"), Heading("Ceiling"))

_GROUP_NOTE = "Skill, floor and ceiling are of {metric}, on the samples of the row."
_NO_FLOOR_NOTE = (
    "no run and no stored value of a baseline that looks at nothing covers these samples; name a run of "
    "baseline/blank, baseline/constant or baseline/shuffled on the same data beside the others."
)
_UNDEFINED_NOTE = f"{UNDEFINED}: the ceiling is no higher than the floor."


def skill_tables(compared: ComparedRuns) -> list[PaperTable]:
    """Return a table for each task in which runs have floors, the highest skill first."""
    tables = []
    for task, skills in compared.skills.items():
        lines = tuple(
            TableRow.of(
                label,
                [skill.skill, skill.value, skill.floor, skill.floor_model, skill.ceiling, str(skill.skill.n)],
                unranked=label in compared.unranked,
            )
            for label, skill in skills.items()
        )
        names = ("Model", "Skill", compared.skill_metric(task), "Floor", "Floor is", "Ceiling", "Instances")
        headings = tuple(Heading(name) for name in names)
        tables.append(PaperTable(f"{SPECS[task].title}, skill", headings, lines, (_NOTE,)))
    return tables


class GroupSkills:
    """Columns of a table with the skill of each run in groups of samples.

    The baselines that floors are taken from, and the oracle, have none. If no other run has a floor in any
    group, there are no columns, and a note says so.

    Args:
        compared: The runs.
        task: Name of the task.
        by: What a group has in common.
        rows: Label of the run and name of the group of each row.
    """

    def __init__(
        self,
        compared: ComparedRuns,
        task: str,
        by: Literal["subset", "difficulty"],
        rows: Iterable[tuple[str, str]],
    ) -> None:
        self._task = task
        self._skills = {
            (label, group): compared.group_skill(label, task, by, group)
            for label, group in rows
            if not compared.is_floor_or_ceiling(label)
        }

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The headings of the columns."""
        return _GROUP_HEADINGS if any(self._skills.values()) else ()

    def cells(self, label: str, group: str) -> tuple[Cell, ...]:
        """Return skill, floor and ceiling of a run in a group; a text says why there is no skill."""
        if not self.headings:
            return ()
        if (label, group) not in self._skills:
            return None, None, None
        skill = self._skills[label, group]
        if skill is None:
            return NO_FLOOR, None, None
        return (UNDEFINED if skill.skill.value is None else skill.skill), skill.floor, skill.ceiling

    @property
    def notes(self) -> list[str]:
        """The notes that a reader of the columns needs."""
        return _notes(self._skills.values())


@dataclass(frozen=True, slots=True)
class TaskSkills:
    """The skill of a run in a task and in its subsets, for a table of the run alone."""

    #: Over all samples that count; None without a floor.
    total: Skill | None
    #: Over those of each subset.
    of: Mapping[str, Skill | None]
    #: Whether there is a floor anywhere.
    are_known: bool
    #: What a reader must know.
    notes: Sequence[str]


def task_skills(compared: ComparedRuns, label: str, task: str, subsets: Iterable[str]) -> TaskSkills:
    """Return the skill of a run in a task and in its subsets; nothing for floors and the oracle."""
    if compared.is_floor_or_ceiling(label):
        return TaskSkills(None, {}, are_known=False, notes=())
    total = compared.skills.get(task, {}).get(label)
    of = {name: compared.group_skill(label, task, "subset", name) for name in subsets}
    every = [total, *of.values()]
    return TaskSkills(total, of, are_known=any(every), notes=_notes(every))


def _notes(skills: Iterable[Skill | None]) -> list[str]:
    listed = list(skills)
    known = [skill for skill in listed if skill is not None]
    notes = [_GROUP_NOTE.format(metric=known[0].metric)] if known else []
    if len(known) < len(listed):
        notes.append(f"{NO_FLOOR if known else 'No skill'}: {_NO_FLOOR_NOTE}")
    return [*notes, *([_UNDEFINED_NOTE] if any(skill.skill.value is None for skill in known) else [])]
