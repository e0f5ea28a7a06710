"""Files of other benchmarks as data sets of format 2: a module for each kind, and ``registry``."""

from i2s_sdk.data.imports.kind import ImportedItem, ImportKind
from i2s_sdk.data.imports.laying import Imported, import_data

__all__ = ["ImportKind", "Imported", "ImportedItem", "import_data"]
