"""The released prompts of ScImage: CSV files, in English or with the three other languages."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from i2s_sdk.data.imports.items import Imported, ImportedItem, ImportRequest, lay_down
from i2s_sdk.errors import DataError
from i2s_sdk.files import reading

_TASK = "scimage"
_OUTPUTS = ("python", "tikz")
_LANGUAGES = ("de", "zh", "fa")


def import_scimage(request: ImportRequest) -> Imported:
    """Make a data set of prompts, each once for Python and once for TikZ.

    The files are ``prompt.csv`` (columns ID, Prompt) and ``multilingual_prompt.csv`` (its ids end in _DE, _ZH
    or _FA); CSV files with other columns in a folder are passed over. Blanks around prompts are left out.

    Raises:
        UsageError: The output folder is not empty.
        DataError: A source cannot be read, or no prompt is found.
        WriteError: The data set cannot be written.
    """
    return lay_down(_items(map(Path, request.sources)), request.out, request.sources[0])


def _items(sources: Iterator[Path]) -> Iterator[ImportedItem]:
    for source in sources:
        for file in sorted(source.glob("*.csv")) if source.is_dir() else [source]:
            yield from _prompts(file)


def _prompts(file: Path) -> Iterator[ImportedItem]:
    try:
        with reading(file), file.open(encoding="utf-8-sig", newline="") as lines:
            for number, row in enumerate(csv.DictReader(lines), start=2):
                if row.get("ID") and row.get("Prompt") and "Model" not in row:
                    yield from _both(row["ID"].strip(), row["Prompt"].strip(), f"{file}:{number}")
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(file, 0, f"is no CSV file in UTF-8: {error}") from None


def _both(identity: str, prompt: str, where: str) -> Iterator[ImportedItem]:
    ending = identity.rpartition("_")[2].lower()
    language = ending if ending in _LANGUAGES else "en"
    for output in _OUTPUTS:
        yield ImportedItem(
            id=f"{identity}-{output}",
            where=where,
            task=_TASK,
            subset=f"{language}-{output}",
            inputs={
                "prompt": prompt,
                "language": language,
                "output": output,
                "kind": identity.partition("_")[0],
            },
            provenance={"benchmark": "ScImage", "id": identity},
        )
