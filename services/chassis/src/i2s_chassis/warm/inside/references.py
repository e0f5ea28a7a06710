"""References of a source to what did not come with it."""

import re
from pathlib import Path

_NETWORK = re.compile(r"(?i)(?:https?|ftp|wss?):|//")
_OWN = ".i2s"


def outside(reference: str, folder: Path, where: str) -> tuple[str, str] | None:
    """Return kind and detail of the policy event of a reference.

    Args:
        reference: Path or address; empty, ``#…`` and ``data:…`` are the source itself.
        folder: Folder of the file that it stands in; the current one is that of the request.
        where: What it stands in.

    Returns:
        None for a reference to the source itself or to a file that came with it.
    """
    reference = reference.strip()
    if not reference or reference.lower().startswith(("#", "data:")):
        return None
    event = "NETWORK" if _NETWORK.match(reference) else "FILE_READ", f"{where}: {reference}"
    if ":" in reference or reference.startswith("/"):
        return event
    try:
        path = (folder / reference).resolve()
        own = path.relative_to(Path.cwd()).parts[:1] == (_OWN,)
        return None if path.is_file() and not own else event
    except (OSError, ValueError):  # no name of a file, or out of the folder of the request
        return event
