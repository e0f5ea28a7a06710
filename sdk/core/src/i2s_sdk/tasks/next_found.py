"""Looking ahead in a text, again and again, in linear time altogether."""

from __future__ import annotations

import re


class NextFound:
    r"""Where something is next found in a text, for positions that never go back.

    Patterns such as ``\{[^\n]*?\}`` look through the rest of the line anew at each place where they
    nearly match, so a text of nothing but openings costs the square of its length. What was looked
    through here is remembered.

    Args:
        text: Text that is looked through.
        wanted: A string, or a pattern that matches something short.
    """

    def __init__(self, text: str, wanted: str | re.Pattern[str]) -> None:
        self._text, self._wanted = text, wanted
        self._from, self._found = 0, -1

    def at(self, position: int) -> int:
        """Return the first place at or after ``position``; the length of the text if there is none."""
        if self._found < position or position < self._from:
            self._from, self._found = position, self._look(position)
        return self._found

    def _look(self, position: int) -> int:
        if isinstance(self._wanted, str):
            found = self._text.find(self._wanted, position)
        else:
            match = self._wanted.search(self._text, position)
            found = match.start() if match else -1
        return len(self._text) if found < 0 else found
