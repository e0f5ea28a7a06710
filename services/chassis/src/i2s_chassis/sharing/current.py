"""Where the call of the current task comes from."""

from __future__ import annotations

import contextvars
from collections.abc import Iterator
from contextlib import contextmanager

from i2s_chassis.sharing.calls import Flow

_NOBODY = Flow()
_flow: contextvars.ContextVar[Flow] = contextvars.ContextVar("flow", default=_NOBODY)


def current_flow() -> Flow:
    """Return where the call of this task comes from; an empty flow outside of calls."""
    return _flow.get()


@contextmanager
def coming_from(flow: Flow) -> Iterator[None]:
    """Let what this task does, and the tasks it starts, belong to a flow."""
    token = _flow.set(flow)
    try:
        yield
    finally:
        _flow.reset(token)
