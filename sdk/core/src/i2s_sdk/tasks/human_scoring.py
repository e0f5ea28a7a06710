"""The criteria by which people score the images of a task, and the CSV files that hold these scores."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HumanCriterion:
    """One criterion by which people score an image.

    Attributes:
        name: Name of the criterion in tables and JSON.
        column: The beginning of the name of its column in the files.
        heading: Its heading in narrow tables.
    """

    name: str
    column: str
    heading: str


@dataclass(frozen=True, slots=True)
class HumanScoring:
    """How people score the images of a task.

    Attributes:
        criteria: The criteria in the order of tables. If the task has a rubric too, a criterion of the same
            name means the same, and judge models are compared with people by it.
        highest: The highest score. A score of 0 in all criteria says that there was no image.
    """

    criteria: tuple[HumanCriterion, ...]
    highest: float

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the criteria."""
        return tuple(one.name for one in self.criteria)
