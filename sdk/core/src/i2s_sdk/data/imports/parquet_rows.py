"""The rows of Parquet files, a few at a time."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from i2s_sdk.errors import DataError, UsageError
from i2s_wire.installation import install_command

#: Rows in memory at a time.
BATCH = 16


def parquet_rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a Parquet file, each with its number from 1.

    Raises:
        UsageError: The package that reads them is missing.
        DataError: The file cannot be read.
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise UsageError(f"Parquet files need the package pyarrow: {install_command('i2s-sdk[parquet]')}")
    import pyarrow  # type: ignore[import-untyped]
    from pyarrow import parquet

    number = 0
    try:
        with parquet.ParquetFile(file) as table:
            for batch in table.iter_batches(batch_size=BATCH):
                for columns in batch.to_pylist():
                    number += 1
                    yield number, columns
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(file, number, f"cannot be read: {' '.join(str(error).split())[:300]}") from None
