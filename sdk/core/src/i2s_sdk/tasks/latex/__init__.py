"""LaTeX: from a completion to a document, its repairs, and its text."""

from i2s_sdk.tasks.latex.document import LatexDocument, preamble_files, preamble_path
from i2s_sdk.tasks.latex.task import LatexTask

__all__ = ["LatexDocument", "LatexTask", "preamble_files", "preamble_path"]
