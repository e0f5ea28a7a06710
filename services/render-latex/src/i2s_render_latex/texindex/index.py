"""Looking up what defines a name."""

from __future__ import annotations

import difflib
import sqlite3
from pathlib import Path

from i2s_wire.render.source_error import Provider

from .definitions import Category
from .keys import key_name
from .rank import folded
from .store import open_index, unpack
from .units import provider_of


class TexIndex:
    """What the installed TeX tree defines, read from a file that `build_index` wrote.

    Opening reads a few kilobytes; each look-up reads one row. May be used from any thread.

    Attributes:
        digest: Digest of the tree that was scanned; compare with `current_digest` to detect that the
            installation has changed since.
    """

    def __init__(self, connection: sqlite3.Connection, digest: str) -> None:
        self._connection = connection
        self.digest = digest

    @classmethod
    def load(cls, path: str | Path) -> TexIndex:
        """Open an index file.

        Raises:
            IndexFileError: The file is missing, damaged or of another version.
        """
        return cls(*open_index(Path(path)))

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    def providers_of_command(self, name: str) -> tuple[Provider, ...]:
        r"""Return what defines a command, best first, at most five.

        Args:
            name: Name, such as "toprule"; its backslash may stand before it.
        """
        return self._providers(Category.COMMAND, name.removeprefix("\\").strip())

    def providers_of_environment(self, name: str) -> tuple[Provider, ...]:
        r"""Return what defines an environment, best first, at most five.

        Args:
            name: Name as in ``\begin{name}``. If nothing defines a starred form, the form without
                the star is looked up.
        """
        return (
            self._providers(Category.ENVIRONMENT, name)
            or self._providers(Category.ENVIRONMENT, name.rstrip("*"))
            or self._providers(Category.COMMAND, name)
        )

    def providers_of_key(self, name: str) -> tuple[Provider, ...]:
        """Return what defines a key, shape, arrow tip or other pgf name, best first, at most five.

        Args:
            name: A key path ("/tikz/on grid"), a name ("diamond", "Stealth"), or what
                `pgf_undefined` made of an error message. If nothing defines the whole path, what
                defines its beginning is returned: for "/tikz/fill between/split", "fill between".
        """
        path = key_name(name)
        while path:
            found = self._providers(Category.KEY, path)
            if found:
                return found
            path = path.rpartition("/")[0]
        return ()

    def providers_of_file(self, name: str) -> tuple[Provider, ...]:
        """Return what a missing file may have meant, best first, at most five.

        The file itself is first if it is installed; a caller that asks whether it is compares
        that name. Then come those of similar name: "tikzcd.sty" gives tikz-cd, and
        "positioning.sty" the TikZ library, which is not a package.

        Args:
            name: Name, such as "booktabs.sty", "beamer.cls", "tikzlibrarycalc.code.tex".
        """
        wanted = provider_of(name)
        if wanted is None:
            return ()
        found = self._providers(Category.FILE, folded(wanted.name))
        if not found:
            found = self._similar(folded(wanted.name))
        return tuple(sorted(found, key=lambda provider: (provider != wanted, provider.kind != wanted.kind)))

    def _similar(self, name: str) -> tuple[Provider, ...]:
        rows = self._connection.execute("SELECT name FROM names WHERE category = ?", (int(Category.FILE),))
        near = difflib.get_close_matches(name, (row[0] for row in rows), n=3, cutoff=0.85)
        return tuple(p for other in near for p in self._providers(Category.FILE, other))[:5]

    def _providers(self, category: Category, name: str) -> tuple[Provider, ...]:
        row = self._connection.execute(
            "SELECT providers FROM names WHERE category = ? AND name = ?", (int(category), name)
        ).fetchone()
        return unpack(row[0]) if row else ()
