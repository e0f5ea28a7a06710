"""Where tables are printed: a terminal at its width, or plain lines for files and other programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

#: Columns where a stream is no terminal and has no width of its own.
PLAIN_WIDTH = 160

_PADDING = re.compile(r"[ \t]+(?=\n)")


def table_console(stream: TextIO, plain_width: int = PLAIN_WIDTH) -> Console:
    """Return a console that prints to a stream.

    Args:
        stream: The stream; its lines end without spaces if it is no terminal.
        plain_width: Columns where it is no terminal.
    """
    from rich.console import Console

    if stream.isatty():
        return Console(file=stream, highlight=False)
    return Console(file=_Unpadded(stream), highlight=False, width=plain_width)  # type: ignore[arg-type]


class _Unpadded:
    """Passes text on without the spaces by which lines are padded to one width.

    A console writes whole lines at once.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = getattr(stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        self._stream.write(_PADDING.sub("", text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return False
