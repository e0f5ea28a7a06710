"""Where the bundled examples are: the folder ``examples`` of a checkout, or the copy in a wheel."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.data.folder import INDEX
from i2s_sdk.errors import UsageError
from i2s_wire.installation import checkout_folder

#: Where sdk/core/bundle_data.py puts them when a wheel is built.
_PACKAGED = Path(__file__).resolve().parents[1] / "examples"

#: Name of the fact of a run that its data are the bundled examples, which need no ``--data``.
BUNDLED = "bundled examples"


def is_bundled(folder: Path) -> bool:
    """Return whether a folder is that of the bundled examples."""
    try:
        return folder.resolve() == examples_folder().resolve()
    except (UsageError, OSError):
        return False


def examples_folder(configured: Path | None = None) -> Path:
    """Return the folder of the bundled examples.

    Args:
        configured: What I2S_EXAMPLES or the configuration file says; taken as it is.

    Returns:
        The configured folder; else ``examples`` of the checkout that this package is used from; else the
        copy in the installed package.

    Raises:
        UsageError: There is none.
    """
    if configured is not None:
        return configured
    checkout = checkout_folder()
    folder = _PACKAGED if checkout is None else checkout / _PACKAGED.name
    if (folder / INDEX).is_file():
        return folder
    raise UsageError(
        f"the bundled examples are not in {folder}; name a data set with --data FOLDER, "
        "or where the examples are with I2S_EXAMPLES"
    )
