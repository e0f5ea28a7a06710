"""Data sets of Hugging Face: names, rows by the library ``datasets``, and local copies."""

from __future__ import annotations

import base64
import binascii
import contextlib
import gzip
import hashlib
import io
import json
import logging
import os
import re
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from i2s_sdk.data.folder import INDEX, DataSet, read_folder
from i2s_sdk.data.format_2 import line, put_by_content
from i2s_sdk.data.locations import write_origin
from i2s_sdk.errors import DataError, UnknownNameError, UsageError, require_package
from i2s_sdk.files import cache_folder
from i2s_sdk.instances.site_files import MAX_BYTES, read_repository
from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.registry import BUILT_IN, task_spec

if TYPE_CHECKING:
    from datasets import Dataset  # type: ignore[import-untyped]


PREFIX = "hf:"

#: The repositories of the benchmark: the living ones, and the copies that never change.
_HUB_NAMES = {one.hub_name: one.name for one in BUILT_IN.values() if one.hub_name}
LIVING = {f"stanford-crfm/i2s-{hub_name}": task for hub_name, task in _HUB_NAMES.items()}
FROZEN = {f"stanford-crfm/image2struct-{hub_name}-v1": task for hub_name, task in _HUB_NAMES.items()}

_ALIASES = {"i2s": tuple(LIVING), "image2struct": tuple(FROZEN)}
_FORM = re.compile(r"(?P<path>[^@?]+?)(?:@(?P<revision>[^@?]+))?(?:\?task=(?P<task>[a-z_]+))?")
_REPOSITORY = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(?:/(?P<subset>[\w.-]+))?")


@dataclass(frozen=True, slots=True)
class HubName:
    """One repository as it was named."""

    #: OWNER/NAME of the hub, or a folder.
    where: str
    #: Task of its instances.
    task: str
    #: Whether ``where`` is a folder.
    local: bool = False
    #: Subsets that are taken; none means those of the task without the wild ones.
    subsets: tuple[str, ...] = ()
    #: Branch, tag or commit; empty is the newest.
    revision: str = ""

    def __str__(self) -> str:
        revision = f"@{self.revision}" if self.revision else ""
        return f"{PREFIX}{self.where}{revision}"

    def wanted(self, subsets: Sequence[str]) -> HubName:
        """Return the name with the subsets that a run asks for, if it has none of its own."""
        return self if self.subsets or not subsets else replace(self, subsets=tuple(subsets))


def parse_hub_name(name: str) -> tuple[HubName, ...]:
    """Return the repositories that a name stands for.

    Args:
        name: ``hf:OWNER/NAME[/SUBSET][@REVISION][?task=TASK]``; ``hf:FOLDER[?task=TASK]`` with files of
            such a repository; ``hf:i2s`` or ``hf:image2struct`` for the living or frozen benchmark.

    Raises:
        UsageError: It is of no such form, or does not say which task it is.
    """
    rest = name.removeprefix(PREFIX)
    if rest in _ALIASES:
        return tuple(HubName(one, _task_of(one, "")) for one in _ALIASES[rest])
    match = _FORM.fullmatch(rest)
    if match is None:
        raise UsageError(f"data set {name!r}: must be hf:OWNER/NAME, such as hf:{next(iter(LIVING))}")
    path, revision, task = match["path"], match["revision"] or "", match["task"] or ""
    if task and task not in _HUB_NAMES.values():
        raise UnknownNameError("task", task, _HUB_NAMES.values())
    folder = Path(path).expanduser()
    if path.startswith((".", "/", "~")) or folder.is_dir():
        return (HubName(str(folder), _task_of(folder.resolve().name, task, name), local=True),)
    repository = _REPOSITORY.fullmatch(path)
    if repository is None:
        raise UsageError(
            f"data set {name!r}: is neither a folder nor of the form hf:OWNER/NAME, such as "
            f"hf:{next(iter(LIVING))}; hf:i2s is the whole benchmark"
        )
    subsets = (repository["subset"],) if repository["subset"] else ()
    where = repository["repository"]
    return (HubName(where, _task_of(where, task, name), subsets=subsets, revision=revision),)


def _task_of(repository: str, task: str, name: str = "") -> str:
    if task:
        return task
    for hub_task in _HUB_NAMES.values():
        if hub_task in repository.lower():
            return hub_task
    options = [f"?task={one}" for one in _HUB_NAMES.values()]
    raise UsageError(f"data set {name!r}: add {', '.join(options[:-1])} or {options[-1]}")


#: Files of a repository that a model may use.
ASSET_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".bmp", ".tiff")
#: The most bytes of a reference image.
MAX_IMAGE_BYTES = 64 * 1024 * 1024

_KINDS = {b"\x89PNG\r\n\x1a\n": ".png", b"\xff\xd8\xff": ".jpg"}
_NOTHING = ("", "null", "None", '""')
_ID_BYTES = 256


@dataclass(frozen=True, slots=True)
class Row:
    """The parts of an instance."""

    #: The uuid.
    id: str
    #: The category.
    subset: str
    #: Empty if unknown.
    difficulty: str
    #: The reference, encoded as it came.
    image: bytes = field(repr=False)
    #: Suffix of its kind, such as ".png".
    image_suffix: str
    #: Ground truth: LaTeX or LilyPond in UTF-8, a .tar.gz of a site; None if there is none.
    structure: bytes | None = field(repr=False)
    #: Text of the image; None if unknown.
    text: str | None
    #: Names of files in the archive that a model may use.
    assets: tuple[str, ...]
    #: Where it was found.
    source: str
    #: Names of links and the like that the archive held.
    left_out: tuple[str, ...] = ()


def read_row(columns: Mapping[str, Any], task: str, subset: str) -> Row:
    """Return what a row holds.

    Args:
        columns: Columns by name; the image as an object of ``bytes`` and ``path``.
        task: Task of the data set.
        subset: Subset of a row without a category.

    Raises:
        ValueError: A column is missing or not what it should be.
    """
    identity = plain(columns.get("uuid"))
    if identity is None or not identity.isprintable() or len(identity.encode("utf-8", "replace")) > _ID_BYTES:
        raise ValueError(
            f"uuid {repr(columns.get('uuid'))[:100]} is not a printable text of at most {_ID_BYTES} bytes"
        )
    image = image_bytes(columns.get("image"))
    structure, assets, left_out = _structure(_verbatim(columns.get("structure")), task)
    return Row(
        id=identity,
        subset=plain(columns.get("category")) or subset,
        difficulty=plain(columns.get("difficulty")) or "",
        image=image,
        image_suffix=suffix_of_image(image),
        structure=structure,
        text=_verbatim(columns.get("text")),
        assets=assets,
        source=plain(columns.get("download_url")) or "",
        left_out=left_out,
    )


def plain(value: object) -> str | None:
    """Return the text of a column of metadata, which are JSON dumps: without their quotes.

    Returns:
        None for what means nothing.

    Raises:
        ValueError: It is not a text.
    """
    text = _verbatim(value)
    if text is None or not text.startswith('"'):
        return text
    try:
        inner = read_json(text)
    except ValueError:
        return text.strip('"')
    return inner if isinstance(inner, str) and inner else None


def _verbatim(value: object) -> str | None:
    if value is None or value in _NOTHING:
        return None
    if not isinstance(value, str):
        raise ValueError(f"{repr(value)[:60]} is not a text")
    return value


def image_bytes(value: object) -> bytes:
    """Return the bytes of an image of a row; a path is never followed, whatever it names.

    Raises:
        ValueError: There is none, or it is too large.
    """
    match value:
        case {"bytes": bytes(content)} if content:
            pass
        case {"path": str()}:
            raise ValueError("the image is not in the data set, only its path; save the data set with images")
        case _:
            raise ValueError("the row has no image")
    if len(content) > MAX_IMAGE_BYTES:
        raise ValueError(f"the image has {len(content)} bytes, more than {MAX_IMAGE_BYTES}")
    return content


def suffix_of_image(image: bytes) -> str:
    """Return the suffix of an image's kind, such as ".png".

    Raises:
        ValueError: It is of no kind that is read.
    """
    for magic, suffix in _KINDS.items():
        if image.startswith(magic):
            return suffix
    if image[:4] == b"RIFF" and image[8:12] == b"WEBP":
        return ".webp"
    raise ValueError("the image is neither PNG, JPEG nor WebP")


def _structure(value: str | None, task: str) -> tuple[bytes | None, tuple[str, ...], tuple[str, ...]]:
    """Return the ground truth, the names of its assets, and what was left out of its archive."""
    if value is None:
        return None, (), ()
    if not task_spec(task).structure_is_site:
        return value.encode("utf-8", "replace"), (), ()
    archive = _unbase64(value)
    try:
        files, left_out = read_repository(archive)
    except ValueError as error:
        raise ValueError(f"the archive {error}") from None
    return packed(files) if left_out else archive, asset_names(files), left_out


def _unbase64(value: str) -> bytes:
    if len(value) > MAX_BYTES:
        raise ValueError(f"the archive has more than {MAX_BYTES} characters")
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("the structure is not base64") from None


def asset_names(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the names of the images of a repository that a model may use, sorted.

    What lies in ``_site`` (made by Jekyll) or in a folder with a dot is none.
    """
    return tuple(
        sorted(
            name
            for name in files
            if PurePosixPath(name).suffix.lower() in ASSET_SUFFIXES
            and not re.match(r"(_site|\.)[^/]*/", name)
        )
    )


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return a .tar.gz of files alone, the same for the same files."""
    content = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=content, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, raw in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return content.getvalue()


SPLIT = "validation"

_STATE = "state.json"  # of a folder that save_to_disk wrote


@dataclass(frozen=True, slots=True)
class Table:
    """One subset."""

    #: What a person calls it.
    label: str
    #: Its name; empty if only the rows say it.
    subset: str
    #: Changes when what is in it changes.
    fingerprint: str
    #: Number of rows.
    length: int
    _rows: Dataset

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield the rows, images as they are encoded."""
        yield from self._rows


def open_tables(name: HubName) -> list[Table]:
    """Return the subsets of a repository that a name asks for.

    Raises:
        UsageError: The library is missing; says the command that installs it.
        UnknownNameError: There is no such subset.
        DataError: The data set cannot be loaded.
    """
    require_package("datasets", "hub", f"data set {str(name)!r}")
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
            rows = datasets.load_dataset(name.where, subset, split=SPLIT, revision=name.revision or None)
        except Exception as error:
            # The library raises errors of its own, of the hub's client, of pyarrow and of the system.
            raise _unloadable(label, error, "; a copy on disk is named hf:FOLDER") from None
        tables.append(_table(label, subset, rows))
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
    usual = tuple(home for home in homes if home not in task_spec(name.task).wild_subsets) or tuple(homes)
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
            rows = datasets.load_from_disk(str(home))
        else:
            files = sorted(home.glob(f"{SPLIT}*.parquet")) or sorted(home.glob("*.parquet"))
            names = [str(path) for path in files]
            rows = datasets.load_dataset("parquet", data_files=names, split="train")
    except Exception as error:
        # Several packages raise errors here, which all mean that these files are not what they should be.
        raise _unloadable(label, error) from None
    return _table(label, subset, rows)


def _table(label: str, subset: str, rows: Dataset) -> Table:
    import datasets

    missing = [column for column in ("uuid", "image") if column not in rows.column_names]
    if missing:
        raise DataError(Path(label), 0, f"has no column {missing[0]!r}; it is no data set of the benchmark")
    # The files of the images are the references; decoding and encoding again would make others of them.
    raw = rows.cast_column("image", datasets.Image(decode=False))
    return Table(label, subset, str(rows._fingerprint), len(rows), raw)


def _known(name: HubName, known: tuple[str, ...]) -> tuple[str, ...]:
    for subset in name.subsets:
        if subset not in known:
            raise UnknownNameError("subset", subset, known)
    return name.subsets


def _unloadable(label: str, error: Exception, hint: str = "") -> DataError:
    said = " ".join(str(error).split())[:300] or type(error).__name__
    return DataError(Path(label), 0, f"cannot be loaded: {said}{hint}")


_FORMAT = "3"  # of the folder; another one makes it anew

#: A subset and its task.
Source = tuple[str, Table]

_log = logging.getLogger(__name__)


def default_home() -> Path:
    """Return where data sets are laid down if nobody says otherwise: i2s/datasets of the user's caches."""
    return cache_folder("datasets")


def read_hub(name: str, subsets: Sequence[str] = (), *, home: Path | None = None) -> DataSet:
    """Return a data set of Hugging Face.

    Args:
        name: Name as ``parse_hub_name`` has it.
        subsets: Subsets that are taken; none means all but the wild ones.
        home: Where data sets are laid down; None takes the user's caches.

    Raises:
        UsageError: The name is wrong, or the library is missing.
        UnknownNameError: There is no such subset.
        DataError: It cannot be loaded, or a row is not what it should be; names data set and row.
    """
    named = parse_hub_name(name)
    names = _share(named, subsets) if len(named) > 1 and subsets else [one.wanted(subsets) for one in named]
    tables = [(one.task, table) for one in names for table in open_tables(one)]
    title = Path(names[0].where).name if len(named) == 1 else name.removeprefix(PREFIX)
    folder = (home or default_home()) / f"{title}-{_key(tables)}"
    if not (folder / INDEX).is_file():
        _lay_down(tables, folder, [f"{PREFIX}{one.where}" for one in names if not one.local])
    return read_folder(folder)


def _share(names: Sequence[HubName], subsets: Sequence[str]) -> list[HubName]:
    """Return those of several repositories that have any of the subsets, each with its own of them."""
    specs = (task_spec(name.task) for name in names)
    known = {spec.name: {*spec.subsets, *spec.wild_subsets} for spec in specs}
    for subset in subsets:
        if not any(subset in some for some in known.values()):
            raise UnknownNameError("subset", subset, set().union(*known.values()))
    shared = ((name, [subset for subset in subsets if subset in known[name.task]]) for name in names)
    return [one.wanted(own) for one, own in shared if own]


def _key(tables: Sequence[Source]) -> str:
    """Return what tells these subsets, as they are now, from others."""
    lines = (f"{task}:{table.subset}:{table.fingerprint}:{table.length}" for task, table in tables)
    return hashlib.sha256("\n".join((_FORMAT, *lines)).encode()).hexdigest()[:16]


def _lay_down(tables: Sequence[Source], folder: Path, origin: Sequence[str]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".part-"))
    try:
        with (scratch / INDEX).open("w", encoding="utf-8") as index:
            for task, row in _rows(tables):
                index.write(_line(row, task, scratch))
        write_origin(scratch, origin)
        with contextlib.suppress(OSError):  # another process was quicker
            os.rename(scratch, folder)
        if not (folder / INDEX).is_file():
            raise DataError(folder, 0, "cannot be written")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _rows(tables: Sequence[Source]) -> Iterator[tuple[str, Row]]:
    """Yield the instances of all subsets, each with its task."""
    seen: dict[str, str] = {}
    for task, table in tables:
        taken = 0
        for number, row in _rows_of(table, task):
            if row.id in seen:
                raise DataError(
                    Path(table.label), number, f"uuid {row.id!r} stands in {seen[row.id]} already"
                )
            seen[row.id] = f"{table.label}:{number}"
            taken += 1
            yield task, row
        if not taken:
            raise DataError(Path(table.label), 0, f"holds no row of category {table.subset!r}")


def _rows_of(table: Table, task: str) -> Iterator[tuple[int, Row]]:
    """Yield the instances of a subset with the numbers of their rows.

    A row of another category than its subset is none of it, as in the reference implementation.
    """
    where = Path(table.label)
    for number, columns in enumerate(table.rows(), start=1):
        try:
            row = read_row(columns, task, table.subset)
        except ValueError as error:
            raise DataError(where, number, str(error)) from None
        if table.subset and row.subset != table.subset:
            continue
        if not row.subset:
            raise DataError(where, number, "the row has no category")
        for left in row.left_out:
            _log.warning("%s:%d: %s: left out of the archive: %r", where, number, row.id, left)
        yield number, row


def _line(row: Row, task: str, folder: Path) -> str:
    """Write the files of an instance and return its line of the index."""
    inputs: dict[str, object] = {"image": put_by_content(folder, "references", row.image, row.image_suffix)}
    target: dict[str, object] = {}
    if row.structure is not None:
        target["structure"] = put_by_content(
            folder, "structures", row.structure, task_spec(task).structure_suffix
        )
    if row.text is not None:
        target["text"] = row.text
    if row.assets:
        inputs["assets"] = list(row.assets)
    source = {"source": row.source} if row.source else None
    written = line(
        row.id, task, row.subset, inputs, target or None, difficulty=row.difficulty, provenance=source
    )
    return json.dumps(written) + "\n"
