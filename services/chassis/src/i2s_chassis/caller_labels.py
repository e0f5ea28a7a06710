"""Callers as a label of metrics: few values, none of which a stranger can choose."""

from __future__ import annotations

from i2s_chassis.caller import is_identified

#: Callers that are known by their address alone.
ANONYMOUS = "anonymous"
#: Identified callers beyond the bound.
OTHERS = "others"
#: Identified callers of a process that get a value of their own; those come first that call first.
MAX_CALLERS = 100

_MAX_CHARACTERS = 128


class CallerLabels:
    """Gives callers their labels; a process has one, so that its series agree.

    Args:
        most: Identified callers that get a label of their own.
    """

    def __init__(self, most: int = MAX_CALLERS) -> None:
        self._most = most
        self._known: set[str] = set()

    def label(self, caller: str) -> str:
        """Return the label of a caller.

        Args:
            caller: Identity, as ``caller_of`` returns it.

        Returns:
            That of a caller with a name or certificate is its identity, "caller:lab" or "cert:CN=lab".
        """
        if not is_identified(caller):
            return ANONYMOUS
        name = caller[:_MAX_CHARACTERS]
        if name not in self._known:
            if len(self._known) >= self._most:
                return OTHERS
            self._known.add(name)
        return name
