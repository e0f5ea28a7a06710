"""One line of the log for each call and each item of a stream: who, what, which result, at what cost.

The lines come from a logger of their own, ``i2s_chassis.audit``, which ``--log-level`` does not silence.
"""

from __future__ import annotations

import contextvars
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from i2s_chassis.errors import Status
from i2s_chassis.jail.model import fields_of

_log = logging.getLogger("i2s_chassis.audit")
_log.setLevel(logging.INFO)


@dataclass(slots=True)
class AuditEntry:
    """The entry of a call or an item in the audit log; the caller is in the context of the log."""

    #: Digest of what was sent; empty if nothing was understood.
    source_sha256: str = ""
    #: What became of it; empty if there is none.
    verdict: str = ""
    #: Size of the messages.
    request_bytes: int = 0
    #: Time that it waited for its slot.
    queue_seconds: float = 0.0
    #: Time that it held it.
    slot_seconds: float = 0.0
    #: Processor time; None if the service does not know.
    cpu_seconds: float | None = None

    def log(self, what: str, status: Status, seconds: float) -> None:
        """Write the line with what is known; "what" is "call" or "item"."""
        values = {
            name: round(value, 6) if isinstance(value, float) else value
            for name, value in fields_of(self).items()
            if value
        }
        fields = {"status": status.name, "seconds": round(seconds, 6), **values}
        is_refusal = status is not Status.OK and not self.slot_seconds
        _log.info(what, extra={"fields": fields, "is_refusal": is_refusal})


_entry: contextvars.ContextVar[AuditEntry | None] = contextvars.ContextVar("audit_entry", default=None)


def current_entry() -> AuditEntry:
    """Return the entry of this task's call or item; one that nobody reads outside of calls."""
    return _entry.get() or AuditEntry()


@contextmanager
def audited() -> Iterator[AuditEntry]:
    """Begin an entry, which this task and the tasks it starts fill."""
    entry = AuditEntry()
    token = _entry.set(entry)
    try:
        yield entry
    finally:
        _entry.reset(token)
