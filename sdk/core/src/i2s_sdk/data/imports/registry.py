"""All kinds of import. A new one is a module and a line here."""

from __future__ import annotations

from i2s_sdk.data.imports.charts import import_chartmimic, import_plot2code
from i2s_sdk.data.imports.items import Imported, ImportKind, ImportRequest
from i2s_sdk.data.imports.readoc import import_readoc
from i2s_sdk.data.imports.scimage import import_scimage
from i2s_sdk.data.imports.sobench import import_sobench
from i2s_sdk.data.imports.visualwebbench import import_visualwebbench
from i2s_sdk.data.locations import write_origin
from i2s_sdk.errors import UnknownNameError
from i2s_sdk.files import writing

#: Kinds of imports by name.
KINDS: dict[str, ImportKind] = {
    one.name: one
    for one in (
        ImportKind(
            "chartmimic",
            "folders of programs with pictures (direct_600, customized_600), and files of instructions",
            import_chartmimic,
        ),
        ImportKind(
            "plot2code",
            "folders of Parquet files, or of images with metadata.jsonl",
            import_plot2code,
        ),
        ImportKind(
            "readoc",
            "folders of PDF documents with gold Markdown, or hf:OWNER/NAME, which is downloaded",
            import_readoc,
        ),
        ImportKind(
            "scimage",
            "files of prompts (*.csv), or folders of these",
            import_scimage,
        ),
        ImportKind(
            "sobench",
            "evaluation files (*.jsonl), or label files (*.json) with --images",
            import_sobench,
        ),
        ImportKind(
            "visualwebbench",
            "folders of Parquet files, such files, or hf:OWNER/NAME, which is downloaded",
            import_visualwebbench,
        ),
    )
}


def import_data(kind: str, request: ImportRequest) -> Imported:
    """Make a data set of what a benchmark published, and say in its folder of which.

    Args:
        kind: Name of the kind of import.
        request: What is imported, and where to.

    Raises:
        UnknownNameError: There is no such kind.
        UsageError, DataError: The sources or the folder cannot be used.
        WriteError: The data set cannot be written.
    """
    made = import_kind(kind).run(request)
    with writing(request.out):
        write_origin(request.out, [kind])
    return made


def import_kind(name: str) -> ImportKind:
    """Return a kind of import.

    Raises:
        UnknownNameError: There is no such kind.
    """
    if name not in KINDS:
        raise UnknownNameError("kind of import", name, KINDS)
    return KINDS[name]
