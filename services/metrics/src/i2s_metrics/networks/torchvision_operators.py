"""Importing torchvision beside a torch that it was not built for."""

from __future__ import annotations

import importlib.machinery
import importlib.util

import torch

#: Operators that torchvision's Python code describes while it is imported, and that its compiled extension
#: implements. No network here uses them.
_SCHEMAS = {
    "nms": "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms": "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
}
#: A declaration holds as long as its library object.
_declared: list[torch.library.Library] = []


def declare_missing_operators() -> None:
    """Declare the operators without which ``import torchvision`` fails, if they are missing.

    torchvision's wheels are built for CUDA. Beside a CPU build of torch their extension does not load, its
    operators are not there, and the import ends in "operator torchvision::nms does not exist". Calling one
    of them still fails. If the extension loads, nothing is done.
    """
    if _declared or _extension_loads():
        return
    for schema in _SCHEMAS.values():
        library = torch.library.Library("torchvision", "FRAGMENT")  # type: ignore[no-untyped-call]
        library.define(schema)  # type: ignore[no-untyped-call]
        _declared.append(library)


def _extension_loads() -> bool:
    spec = importlib.util.find_spec("torchvision")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        finder = importlib.machinery.FileFinder(
            folder, (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES)
        )
        extension = finder.find_spec("_C")
        if extension is not None and extension.origin is not None:
            try:
                torch.ops.load_library(extension.origin)  # type: ignore[no-untyped-call]
            except OSError:
                return False
            return all(hasattr(torch.ops.torchvision, name) for name in _SCHEMAS)
    return False
