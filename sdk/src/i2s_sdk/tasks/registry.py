"""From the name of a task to the task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from i2s_sdk.errors import UnknownNameError
from i2s_sdk.profile import Profile
from i2s_sdk.tasks.latex import LatexTask
from i2s_sdk.tasks.music import MusicTask
from i2s_sdk.tasks.task import Task
from i2s_sdk.tasks.webpage import WebpageTask

#: A task of whatever document; what one of its methods returns goes back to the same task only.
AnyTask = Task[Any]

_TASKS: dict[str, Callable[[Profile], AnyTask]] = {
    "latex": LatexTask,
    "webpage": WebpageTask,
    "music": MusicTask,
}

#: Names of all tasks.
TASKS = tuple(_TASKS)


def open_task(name: str, profile: Profile = Profile.PAPER) -> AnyTask:
    """Return a task with the rules of a profile.

    Raises:
        UnknownNameError: There is no such task.
    """
    if name not in _TASKS:
        raise UnknownNameError("task", name, TASKS)
    return _TASKS[name](profile)
