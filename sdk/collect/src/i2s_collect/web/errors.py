"""Why there is no answer."""

from __future__ import annotations

from i2s_sdk.errors import I2SError


class NotAtHandError(I2SError):
    """What is asked for is not there now, and may be there when the same command runs again."""


class NotCachedError(NotAtHandError):
    """The collection is offline, and the answer was never stored."""


class BodyTooLargeError(I2SError):
    """The body of an answer is larger than the request takes."""


class SourceStoppedError(I2SError):
    """A server refused or does not answer, and the source ends here; the same command goes on later."""
