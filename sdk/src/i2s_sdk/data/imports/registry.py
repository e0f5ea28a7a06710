"""All kinds of import. A new one is a module and a line here."""

from __future__ import annotations

from i2s_sdk.data.imports.kind import Imported, ImportKind, ImportRequest
from i2s_sdk.data.imports.sobench import import_sobench
from i2s_sdk.data.imports.visualwebbench import import_visualwebbench
from i2s_sdk.errors import UnknownNameError, UsageError


def _visualwebbench(request: ImportRequest) -> Imported:
    if len(request.sources) != 1 or request.images is not None:
        raise UsageError("visualwebbench takes one SOURCE, which has its images inside")
    return Imported(import_visualwebbench(request.sources[0], request.out, tasks=request.tasks))


#: By name.
KINDS: dict[str, ImportKind] = {
    one.name: one
    for one in (
        ImportKind(
            "sobench",
            "evaluation files (*.jsonl), or label files (*.json) with --images",
            import_sobench,
        ),
        ImportKind(
            "visualwebbench",
            "a folder of Parquet files, one such file, or hf:OWNER/NAME, which is downloaded",
            _visualwebbench,
        ),
    )
}


def import_kind(name: str) -> ImportKind:
    """Return a kind of import.

    Raises:
        UnknownNameError: There is no such kind.
    """
    if name not in KINDS:
        raise UnknownNameError("kind of import", name, KINDS)
    return KINDS[name]
