"""Rows of a data set of Hugging Face, by the library ``datasets``: from the hub or from files here."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from i2s_sdk.data.hub_name import HubName
from i2s_sdk.errors import DataError, UnknownNameError, UsageError
from i2s_sdk.tasks.registry import task_spec
from i2s_wire.installation import install_command

if TYPE_CHECKING:
    from datasets import Dataset  # type: ignore[import-untyped]

SPLIT = "validation"

_STATE = "state.json"  # of a folder that save_to_disk wrote


@dataclass(frozen=True, slots=True)
class Table:
    """One subset.

    Attributes:
        label: What a person calls it.
        subset: Its name; empty if only the rows say it.
        fingerprint: Changes when what is in it changes.
        length: Number of rows.
    """

    label: str
    subset: str
    fingerprint: str
    length: int
    _rows: Dataset

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield the rows, pictures as they are encoded."""
        yield from self._rows


def open_tables(name: HubName) -> list[Table]:
    """Return the subsets of a repository that a name asks for.

    Raises:
        UsageError: The library is missing; says the command that installs it.
        UnknownNameError: There is no such subset.
        DataError: The data set cannot be loaded.
    """
    if importlib.util.find_spec("datasets") is None:
        raise UsageError(
            f"data set {str(name)!r} needs the package datasets: {install_command('i2s-sdk[hub]')}"
        )
    import datasets

    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
    return _local_tables(name) if name.local else _hub_tables(name)


def _hub_tables(name: HubName) -> list[Table]:
    import datasets

    tables = []
    spec = task_spec(name.task)
    for subset in _known(name, (*spec.subsets, *spec.wild_subsets)) or spec.subsets:
        label = f"{name}/{subset}"
        try:
            found = datasets.load_dataset(name.where, subset, split=SPLIT, revision=name.revision or None)
        except Exception as error:
            # The library raises errors of its own, of the hub's client, of pyarrow and of the system.
            raise _unloadable(label, error, "; a copy on disk is named hf:FOLDER") from None
        tables.append(_table(label, subset, found))
    return tables


def _local_tables(name: HubName) -> list[Table]:
    """Return the subsets in a folder: parquet files of a clone, or what ``save_to_disk`` wrote."""
    root = Path(name.where)
    if not root.is_dir():
        raise DataError(root, 0, "is no folder")
    saved = {
        path.parent
        for path in (root / _STATE, *root.glob(f"*/{_STATE}"), *root.glob(f"*/*/{_STATE}"))
        if path.is_file()
    }
    parquet = {path.parent for path in (*root.glob("*.parquet"), *root.glob("*/*.parquet"))}
    homes = {_subset_of(home, root): home for home in sorted(saved or parquet)}
    if not homes:
        raise DataError(root, 0, "holds neither SUBSET/*.parquet nor what datasets.save_to_disk writes")
    if "" in homes:
        return [_load(homes[""], root, "")]
    usual = tuple(one for one in homes if one not in task_spec(name.task).wild_subsets) or tuple(homes)
    return [_load(homes[one], root, one) for one in _known(name, tuple(homes)) or usual]


def _subset_of(home: Path, root: Path) -> str:
    """Return the name of a subset: of its folder, be it SUBSET, SUBSET/validation or validation alone."""
    parts = [part for part in home.relative_to(root).parts if part not in (SPLIT, "data")]
    return parts[0] if parts else ""


def _load(home: Path, root: Path, subset: str) -> Table:
    import datasets

    label = f"hf:{home}"
    try:
        if (home / _STATE).is_file():
            found = datasets.load_from_disk(str(home))
        else:
            files = sorted(home.glob(f"{SPLIT}*.parquet")) or sorted(home.glob("*.parquet"))
            names = [str(path) for path in files]
            found = datasets.load_dataset("parquet", data_files=names, split="train")
    except Exception as error:
        # Several packages raise errors here, which all mean that these files are not what they should be.
        raise _unloadable(label, error) from None
    return _table(label, subset, found)


def _table(label: str, subset: str, found: Dataset) -> Table:
    import datasets

    missing = [column for column in ("uuid", "image") if column not in found.column_names]
    if missing:
        raise DataError(Path(label), 0, f"has no column {missing[0]!r}; it is no data set of the benchmark")
    # The files of the pictures are the references; decoding and encoding again would make others of them.
    raw = found.cast_column("image", datasets.Image(decode=False))
    return Table(label, subset, str(found._fingerprint), len(found), raw)


def _known(name: HubName, known: tuple[str, ...]) -> tuple[str, ...]:
    for subset in name.subsets:
        if subset not in known:
            raise UnknownNameError("subset", subset, known)
    return name.subsets


def _unloadable(label: str, error: Exception, hint: str = "") -> DataError:
    said = " ".join(str(error).split())[:300] or type(error).__name__
    return DataError(Path(label), 0, f"cannot be loaded: {said}{hint}")
