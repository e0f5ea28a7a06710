"""What is kept between processes: bytes by name."""

from __future__ import annotations

from typing import Protocol


class KeptBytes(Protocol):
    """Bytes by name. What cannot be read or written is as if it were not there.

    See ``i2s_sdk.run.caches``.
    """

    def read(self, key: str) -> bytes | None:
        """Return the bytes of a name, or None if there are none that are whole."""
        ...

    def write(self, key: str, content: bytes) -> None:
        """Keep bytes by a name: hexadecimal digits. Those of the same name are replaced."""
        ...
