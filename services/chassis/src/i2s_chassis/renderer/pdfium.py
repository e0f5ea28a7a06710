"""PDFium, the library of the package ``pypdfium2_raw`` that programs in cells load."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path

from i2s_chassis.errors import StartError
from i2s_wire.installation import install_command


def pdfium_folder() -> Path:
    """Return the folder of the package, which has the library and which jobs must be able to read.

    Raises:
        StartError: It is not installed.
    """
    # Found and not imported: that would load the library into this process.
    spec = importlib.util.find_spec("pypdfium2_raw")
    if spec is None or spec.origin is None:
        raise StartError(f"PDFium is not installed; install it with: {install_command('pypdfium2')}")
    return Path(spec.origin).resolve().parent


def pdfium_library(folder: Path) -> Path:
    """Return the library itself."""
    return folder / "libpdfium.so"


def pdfium_version(folder: Path) -> str:
    """Return the version, such as "152.0.7947.0"."""
    parts = json.loads((folder / "version.json").read_text("utf-8"))
    return ".".join(str(parts[name]) for name in ("major", "minor", "build", "patch"))


def pdfium_digest(folder: Path) -> str:
    """Return the SHA-256 of the library.

    Raises:
        StartError: It cannot be read.
    """
    library = pdfium_library(folder)
    try:
        with library.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        raise StartError(f"{library} is missing or cannot be read; install its package again") from None
