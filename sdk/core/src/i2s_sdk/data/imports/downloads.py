"""Folders of data sets of Hugging Face, downloaded by its own library."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from i2s_sdk.data.hub import PREFIX
from i2s_sdk.errors import DataError, UsageError, require_package

_FORM = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(?:@(?P<revision>[^@]+))?")


def downloaded_folder(source: str, patterns: Sequence[str], example: str) -> Path:
    """Return the folder of a repository, in the library's cache, of which some files are fetched.

    Args:
        source: ``hf:OWNER/NAME``, with ``@REVISION`` if it is not the latest.
        patterns: Patterns of the names of files that are fetched.
        example: A source for the message about one that is none.

    Raises:
        UsageError: It is no such source, or the package ``huggingface_hub`` is missing.
        DataError: It cannot be downloaded.
    """
    match = _FORM.fullmatch(source.removeprefix(PREFIX))
    if match is None:
        raise UsageError(f"data set {source!r}: must be hf:OWNER/NAME, such as {example}")
    require_package("huggingface_hub", "hub", f"data set {source!r}")
    import huggingface_hub

    try:
        folder = huggingface_hub.snapshot_download(
            match["repository"],
            repo_type="dataset",
            revision=match["revision"],
            allow_patterns=list(patterns),
        )
    except Exception as error:
        # The library raises errors of its own, of its HTTP client and of the system.
        said = " ".join(str(error).split())[:300] or type(error).__name__
        raise DataError(Path(source), 0, f"cannot be downloaded: {said}") from None
    return Path(folder)
