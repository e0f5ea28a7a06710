"""How pictures of different size are compared in each task.

Source: Image2Struct; where rendering and reference differ in size, documents and scores are padded with
white, and pages of a browser are resized.
"""

from __future__ import annotations

from i2s_sdk.clients.score_types import SizePolicy
from i2s_sdk.errors import UnknownNameError

_POLICIES = {"latex": SizePolicy.PAD, "music": SizePolicy.PAD, "webpage": SizePolicy.RESIZE}


def size_policy(task: str) -> SizePolicy:
    """Return the size policy of a task.

    Raises:
        UnknownNameError: There is no such task.
    """
    if task not in _POLICIES:
        raise UnknownNameError("task", task, _POLICIES)
    return _POLICIES[task]
