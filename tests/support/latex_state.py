"""State folders of the LaTeX renderer for tests, without what takes long to make."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from i2s_render_latex.state import index_file, state_folder
from i2s_render_latex.texindex import current_digest, tree_roots
from i2s_render_latex.texindex.definitions import Category
from i2s_render_latex.texindex.index import write
from i2s_wire.render.source_error import Provider, ProviderKind

#: Folder with the state of the machine's own service, whoever runs the tests.
_OF_THE_MACHINE = Path("/var/cache/i2s-render-latex")


def lay_out_state(state: Path) -> None:
    """Write an index with one name, since a full one takes minutes, and take over what is prepared."""
    row = (Category.COMMAND, "toprule", [Provider(ProviderKind.PACKAGE, "booktabs")])
    write(index_file(state), current_digest(tree_roots()), [row])
    lay_out_prepared(state)


def lay_out_prepared(state: Path) -> None:
    """Take the fonts and formats that ``i2s-render-latex index`` has prepared here into a state folder.

    To prepare them takes ten seconds of CPU time and more. Those of another installation have another name
    and are not used; if there are none, the service prepares its own.
    """
    for kind in ("fonts", "unpacked"):
        for folder in (state_folder(None) / kind, _OF_THE_MACHINE / kind):
            try:
                shutil.copytree(folder, state / kind, copy_function=_take)
            except OSError:
                shutil.rmtree(state / kind, ignore_errors=True)
            else:
                break


def _take(source: str, target: str) -> None:
    """Link a file, or copy it to another file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
