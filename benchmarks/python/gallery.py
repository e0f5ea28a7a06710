"""The programs of matplotlib's own gallery, out of its source distribution."""

from __future__ import annotations

import importlib
import io
import json
import os
import tarfile
import urllib.request
from importlib.metadata import version
from pathlib import Path

_JSON = "application/vnd.pypi.simple.v1+json"
_FOLDER = "/galleries/examples/"
_SECONDS = 120


def gallery(number: int, source: Path | None = None) -> dict[str, bytes]:
    """Return programs by their names, evenly taken from all of them in alphabetical order.

    Args:
        number: Number of programs.
        source: The source distribution; None fetches that of the installed version from the package index.

    Raises:
        OSError: It cannot be read or fetched.
        LookupError: The package index has none of that version.
    """
    content = source.read_bytes() if source is not None else fetched("matplotlib", version("matplotlib"))
    programs: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive:
            _, inside, name = member.name.partition(_FOLDER)
            file = archive.extractfile(member) if inside and name.endswith(".py") else None
            if file is not None:
                programs[name] = file.read()
    names = sorted(programs)
    step = max(1.0, len(names) / number)
    return {names[int(at * step)]: programs[names[int(at * step)]] for at in range(min(number, len(names)))}


def distribution(release: str, folder: Path) -> bytes:
    """Return a source distribution, from a folder if it lies there, else fetched and kept there.

    Args:
        release: Such as "matplotlib==3.8.4".
        folder: The folder.

    Raises:
        OSError: It cannot be read or fetched.
        LookupError: The package index has none of that version.
    """
    package, _, number = release.partition("==")
    kept = folder / f"{package}-{number}.tar.gz"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(fetched(package, number))
    return kept.read_bytes()


def fetched(package: str, number: str) -> bytes:
    """Return the source distribution of a version of a package.

    Raises:
        OSError: It cannot be fetched.
        LookupError: The package index has none of that version.
    """
    wanted = f"{package}-{number}.tar.gz"
    # The package index that pip takes where none is configured.
    usual = importlib.import_module("pip._internal.models.index").PyPI.simple_url
    index = os.environ.get("PIP_INDEX_URL", usual).rstrip("/")
    request = urllib.request.Request(f"{index}/{package}/", headers={"Accept": _JSON})
    with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
        files = json.load(answer)["files"]
    address = next((file["url"] for file in files if file["filename"] == wanted), None)
    if address is None:
        raise LookupError(f"the package index has no {wanted}")
    with urllib.request.urlopen(address, timeout=_SECONDS) as answer:
        content: bytes = answer.read()
    return content
