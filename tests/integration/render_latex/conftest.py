"""A running engine with real TeX, a real jail and an index of a few packages."""

import tempfile
from pathlib import Path

import pytest
import pytest_asyncio

from i2s_chassis.jail import Jail, JailSettings
from i2s_render_latex.engine import LatexRenderer
from i2s_render_latex.installation import find_installation
from i2s_render_latex.preparation import unpack_formats
from i2s_render_latex.settings import LatexSettings
from i2s_render_latex.texindex import TexIndex, build_index, tree_roots

INDEXED = ("latex/booktabs", "latex/tools", "latex/multirow", "generic/pgf")
PREAMBLE = rb"""\documentclass{article}
\usepackage{amsmath,amssymb,mathrsfs}
\usepackage{graphicx}
\usepackage{xcolor}
\usepackage{algorithm}
\usepackage{algpseudocode}
\usepackage{booktabs,multirow,longtable,tabularx}
\usepackage{siunitx}
\usepackage{listings}
\usepackage{stfloats}
\usepackage{pgfplots}
\usetikzlibrary{calc,positioning}
\usepackage[hidelinks]{hyperref}
"""
# It does without the file of bookmarks, which \begin{document} would begin to write.
PREAMBLE_THAT_CAN_BEGIN = PREAMBLE.replace(b"[hidelinks]", b"[hidelinks,draft]")


def small_index(folder: Path) -> TexIndex:
    """An index of a tree with a few packages of the installation: a full one takes minutes."""
    for bundle in INDEXED:
        real = next(root / "tex" / bundle for root in tree_roots() if (root / "tex" / bundle).is_dir())
        link = folder / "tree" / "tex" / bundle
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(real)
    build_index([folder / "tree"], folder / "index")
    return TexIndex.load(folder / "index")


@pytest.fixture(scope="session")
def open_folder():
    """A folder that the users of jobs can reach; pytest closes its own to others."""
    with tempfile.TemporaryDirectory(prefix="i2s-latex-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def engine(open_folder):
    folder = open_folder
    jail = await Jail.start(JailSettings())
    settings = LatexSettings(state_dir=folder, format_after=2)
    installation = find_installation()
    unpacked = await unpack_formats(folder, installation)
    engine = LatexRenderer(settings, jail, installation, small_index(folder), unpacked=unpacked)
    async with engine.open({"test": PREAMBLE, "draft": PREAMBLE_THAT_CAN_BEGIN}):
        yield engine
    await jail.close()
