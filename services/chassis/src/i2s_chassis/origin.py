"""Where a call comes from: what its metadata say, whether it may call, and its identity."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from i2s_chassis.access import AccessFile
from i2s_chassis.caller import CallContext, caller_of, certificate_names, listed_as
from i2s_chassis.errors import CallError
from i2s_chassis.logs import LogValue, log_context
from i2s_chassis.sharing.calls import Flow
from i2s_chassis.sharing.current import coming_from
from i2s_chassis.trace import parse_traceparent
from i2s_wire.tracing import RemoteParent

_REQUEST_ID = re.compile(r"[A-Za-z0-9._:/-]{1,128}")


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a caller sends beside its messages.

    Attributes:
        request_id: Its name for the call, the same in all attempts; empty if it gave none.
        authorization: Its credentials; None if it gave none.
        parent: Its span, if it sent one.
        fields: What log lines of the call carry.
    """

    request_id: str
    authorization: str | None = field(repr=False)
    fields: Mapping[str, LogValue]
    parent: RemoteParent = field(default_factory=RemoteParent)


def read_metadata(method: str, items: Iterable[tuple[str, str | bytes]]) -> Metadata:
    """Return what is used of a call's metadata. Only values of a safe form are taken for the log."""
    texts = {key: value for key, value in items if isinstance(value, str)}
    given = texts.get("x-request-id", "")
    request_id = given if _REQUEST_ID.fullmatch(given) else ""
    fields: dict[str, LogValue] = {
        "method": method.rpartition("/")[2],
        "request_id": request_id or secrets.token_hex(8),
    }
    if trace := parse_traceparent(texts.get("traceparent", "")):
        fields |= {"trace_id": trace.trace_id, "span_id": trace.span_id}
    return Metadata(request_id, texts.get("authorization"), fields, RemoteParent.of(texts))


class Origins:
    """Says of each call whether it may be made, and whose it is."""

    def __init__(self, access: AccessFile | None = None, *, certificates: bool = False) -> None:
        """Prepare.

        Args:
            access: Who may call; None if everybody who can connect may.
            certificates: Whether clients present certificates.
        """
        self._access, self._certificates = access, certificates

    def refusal(self, metadata: Metadata) -> CallError | None:
        """Return why a call cannot be made, as far as its metadata say, before its messages are read."""
        if self._access is None or (metadata.authorization is None and self._certificates):
            return None
        try:
            self._access.authenticate(metadata.authorization, ())
        except CallError as error:
            return error
        return None

    @contextmanager
    def identified(self, metadata: Metadata, context: CallContext) -> Iterator[None]:
        """Let the work of this task belong to the caller of a call.

        Raises:
            UnauthenticatedError: It has no credentials, or wrong ones.
            PermissionDeniedError: Its credentials are good and do not suffice.
        """
        with ExitStack() as stack:
            if self._access is not None:
                names = certificate_names(context)
                stack.enter_context(listed_as(self._access.authenticate(metadata.authorization, names)))
            caller = caller_of(context)
            flow = Flow(caller, context.peer(), metadata.request_id, bool(metadata.request_id))
            stack.enter_context(coming_from(flow))
            stack.enter_context(log_context(caller=caller))
            yield
