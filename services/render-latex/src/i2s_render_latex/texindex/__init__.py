"""The index of the installed TeX tree: what defines a name that a document lacks.

`build_index` scans the trees once and writes a file; `TexIndex` answers from it. `pgf_undefined`
turns an error message of the TikZ family into the name to ask for.
"""

from .build import IndexSummary, build_index, current_digest
from .index import IndexFileError, TexIndex
from .pgf_errors import pgf_undefined
from .rank import load_command
from .reading import Progress
from .trees import TreeError, tree_roots

__all__ = [
    "IndexFileError",
    "IndexSummary",
    "Progress",
    "TexIndex",
    "TreeError",
    "build_index",
    "current_digest",
    "load_command",
    "pgf_undefined",
    "tree_roots",
]
