"""Tables of skill: each run between a baseline that looks at nothing and the ground truth."""

from __future__ import annotations

from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.table_lines import Heading, Line, PaperTable
from i2s_sdk.tasks.registry import SPECS

_NOTE = (
    "Skill = (value - floor) / (ceiling - floor), over the instances of the run. The floor is the best of "
    "the baselines that look at nothing, the ceiling the oracle if there is one, else 1."
)


def skill_tables(compared: ComparedRuns) -> list[PaperTable]:
    """Return a table for each task in which runs have floors, the highest skill first."""
    found = []
    for task, skills in compared.skills.items():
        lines = tuple(
            Line.of(
                label,
                [one.skill, one.value, one.floor, one.floor_model, one.ceiling, str(one.skill.n)],
                unranked=label in compared.unranked,
            )
            for label, one in skills.items()
        )
        names = ("Model", "Skill", SPECS[task].main_metric, "Floor", "Floor is", "Ceiling", "Instances")
        headings = tuple(Heading(name) for name in names)
        found.append(PaperTable(f"{SPECS[task].title}, skill", headings, lines, (_NOTE,)))
    return found
