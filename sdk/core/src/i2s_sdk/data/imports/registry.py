"""All kinds of import. A new one is a module and a line here."""

from __future__ import annotations

from i2s_sdk.data.imports.charts import import_chartmimic, import_plot2code
from i2s_sdk.data.imports.design2code import import_design2code, import_design2code_hard
from i2s_sdk.data.imports.items import Imported, Importer, ImportRequest
from i2s_sdk.data.imports.olmocrbench import import_olmocrbench
from i2s_sdk.data.imports.omnidocbench import import_omnidocbench
from i2s_sdk.data.imports.readoc import import_readoc
from i2s_sdk.data.imports.scimage import import_scimage
from i2s_sdk.data.imports.shapecode import import_shapecodebench
from i2s_sdk.data.imports.smb import import_smb
from i2s_sdk.data.imports.sobench import import_sobench
from i2s_sdk.data.imports.svg import import_svg
from i2s_sdk.data.imports.visualwebbench import import_visualwebbench
from i2s_sdk.data.locations import write_origin
from i2s_sdk.errors import UnknownNameError
from i2s_sdk.files import writing

#: Importers by the kind of their sources.
KINDS: dict[str, Importer] = {
    "chartmimic": import_chartmimic,
    "design2code": import_design2code,
    "design2code_hard": import_design2code_hard,
    "olmocrbench": import_olmocrbench,
    "omnidocbench": import_omnidocbench,
    "plot2code": import_plot2code,
    "readoc": import_readoc,
    "scimage": import_scimage,
    "shapecodebench": import_shapecodebench,
    "smb": import_smb,
    "sobench": import_sobench,
    "svg": import_svg,
    "visualwebbench": import_visualwebbench,
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
    made = importer(kind)(request)
    with writing(request.out):
        write_origin(request.out, [kind])
    return made


def importer(kind: str) -> Importer:
    """Return the importer of a kind of sources.

    Raises:
        UnknownNameError: There is no such kind.
    """
    if kind not in KINDS:
        raise UnknownNameError("kind of import", kind, KINDS)
    return KINDS[kind]
