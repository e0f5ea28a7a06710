"""Where the bundled examples lie."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.data.folder import INDEX
from i2s_sdk.errors import UsageError


def examples_folder(configured: Path | None = None) -> Path:
    """Return the folder of the bundled examples.

    Args:
        configured: What I2S_EXAMPLES or the configuration file says; taken as it is.

    Returns:
        The configured folder; else ``examples`` of the checkout that this package was installed from, or of
        the working folder.

    Raises:
        UsageError: There is none.
    """
    if configured is not None:
        return configured
    checkout = Path(__file__).resolve().parents[4]
    for base in (checkout, Path.cwd()):
        if (base / "examples" / INDEX).is_file():
            return base / "examples"
    raise UsageError(
        "the bundled examples are not beside this installation; name a data set with --data FOLDER, "
        "or where the examples are with I2S_EXAMPLES"
    )
