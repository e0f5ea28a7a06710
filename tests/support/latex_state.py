"""State folders of the LaTeX renderer for tests, without what takes long to make."""

from __future__ import annotations

import shutil
from pathlib import Path

from i2s_render_latex.paths import index_file, state_folder
from i2s_render_latex.texindex import current_digest, tree_roots
from i2s_render_latex.texindex.definitions import Category
from i2s_render_latex.texindex.store import write
from i2s_wire.render.source_error import Provider, ProviderKind

#: Folder with the state of the machine's own service, whoever runs the tests.
_OF_THE_MACHINE = Path("/var/cache/i2s-render-latex")


def lay_out_state(state: Path) -> None:
    """Write an index with one name, since a full one takes minutes to build, and copy prepared fonts."""
    row = (Category.COMMAND, "toprule", [Provider(ProviderKind.PACKAGE, "booktabs")])
    write(index_file(state), current_digest(tree_roots()), [row])
    lay_out_fonts(state)


def lay_out_fonts(state: Path) -> None:
    """Copy the fonts that ``i2s-render-latex index`` has prepared here into a state folder.

    To prepare them takes ten seconds of CPU time and more. Those of another installation have another name
    and are not used; if there are none, the service prepares its own.
    """
    for folder in (state_folder(None) / "fonts", _OF_THE_MACHINE / "fonts"):
        try:
            shutil.copytree(folder, state / "fonts")
        except OSError:
            shutil.rmtree(state / "fonts", ignore_errors=True)
        else:
            return
