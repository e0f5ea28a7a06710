"""Graded answers of olmOCR-bench, for pages whose Markdown is known: words change, blocks go missing."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.graded import Grade
from i2s_sdk.tasks.readoc.grades import GRADES as TEXT_GRADES


def known_markdown(content: Content) -> str | None:
    """Return the Markdown of a page; None if the data set does not have it."""
    said = content.target.get("markdown") if isinstance(content.target, dict) else None
    return said if isinstance(said, str) else content.structure


def _of_markdown(grade: Grade) -> Grade:
    def change(content: Content, chance: Random) -> Content | None:
        markdown = known_markdown(content)
        changed = grade.change(replace(content, structure=markdown), chance) if markdown else None
        if changed is None:
            return None
        return replace(changed, target={**content.target, "markdown": changed.structure}, structure=None)

    return Grade(grade.name, grade.rung, change)


GRADES = tuple(map(_of_markdown, TEXT_GRADES))
