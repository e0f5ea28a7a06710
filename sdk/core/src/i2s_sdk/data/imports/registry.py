"""All kinds of import. A new one is a module and a line here."""

from __future__ import annotations

from dataclasses import dataclass

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
from i2s_sdk.errors import UnknownNameError, UsageError
from i2s_sdk.files import writing


@dataclass(frozen=True, slots=True)
class ImportKind:
    """A kind of sources: how a data set is made of them, and which options that has."""

    make: Importer
    #: Whether single tasks can be taken.
    tasks: bool = False
    #: Whether images may be in a folder of their own.
    images: bool = False
    #: Whether images without ground truth can be read.
    ocr: bool = False


#: Kinds of sources by name.
KINDS: dict[str, ImportKind] = {
    "chartmimic": ImportKind(import_chartmimic, tasks=True),
    "design2code": ImportKind(import_design2code, tasks=True, ocr=True),
    "design2code_hard": ImportKind(import_design2code_hard, tasks=True, ocr=True),
    "olmocrbench": ImportKind(import_olmocrbench),
    "omnidocbench": ImportKind(import_omnidocbench, images=True),
    "plot2code": ImportKind(import_plot2code, tasks=True),
    "readoc": ImportKind(import_readoc),
    "scimage": ImportKind(import_scimage),
    "shapecodebench": ImportKind(import_shapecodebench),
    "smb": ImportKind(import_smb),
    "sobench": ImportKind(import_sobench, images=True),
    "svg": ImportKind(import_svg, images=True),
    "visualwebbench": ImportKind(import_visualwebbench, tasks=True),
}


def import_data(kind: str, request: ImportRequest) -> Imported:
    """Make a data set of what a benchmark published, and say in its folder of which.

    Args:
        kind: Name of the kind of import.
        request: What is imported, and where to.

    Raises:
        UnknownNameError: There is no such kind.
        UsageError: The kind does not take an option, or the folder cannot be used.
        DataError: The sources cannot be used.
        WriteError: The data set cannot be written.
    """
    if kind not in KINDS:
        raise UnknownNameError("kind of import", kind, KINDS)
    known = KINDS[kind]
    options = (
        ("task", bool(request.tasks), known.tasks),
        ("images", request.images is not None, known.images),
        ("ocr", request.ocr is not None, known.ocr),
    )
    for option, given, taken in options:
        if given and not taken:
            raise UsageError(f"{kind} takes no --{option}; leave it out")
    made = known.make(request)
    with writing(request.out):
        write_origin(request.out, [kind])
    return made
