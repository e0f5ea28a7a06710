"""Opens the data set that a name stands for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from i2s_sdk.data.folder import DataSet, read_folder
from i2s_sdk.data.hub import PREFIX
from i2s_sdk.data.locations import examples_folder


def open_data(
    name: Path | str | None, *, examples: Path | None = None, subsets: Sequence[str] = ()
) -> DataSet:
    """Return a data set.

    Args:
        name: A folder with ``instances.jsonl``; a file of such lines; ``hf:OWNER/NAME`` of Hugging Face; None
            for the bundled examples.
        examples: Where the bundled examples are; None looks for them.
        subsets: Subsets that will be taken, so that others need not be fetched. Local data sets are read
            whole.

    Raises:
        UsageError: The name is wrong, or a package is missing; says what mends it.
        DataError: It cannot be read; names file and line.
    """
    if name is None:
        return read_folder(examples_folder(examples))
    if isinstance(name, str) and name.startswith(PREFIX):
        from i2s_sdk.data.hub import read_hub

        return read_hub(name, subsets)
    return read_folder(Path(name))
