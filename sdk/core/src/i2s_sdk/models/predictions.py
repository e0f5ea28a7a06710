"""Folders of predictions, as tools that read documents write them: one text file for each instance.

Layouts, for a folder DIR, the subset and the id of an instance, and a suffix of its task (".md")::

    DIR/SUBSET/SYSTEM/ID.md     several systems
    DIR/SUBSET/ID.md            one system, named like DIR
    DIR/ID.md                   the same
    DIR/SYSTEM/ID.md            several systems, if there is nothing in the layouts above
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.errors import DataError, UnknownNameError, UsageError
from i2s_sdk.files import reading
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.completion_bound import bounded_completion
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.settings import COMPLETION_CHARACTERS
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import task_spec

_BYTES = 4  # of UTF-8, at most, for a character


@dataclass(frozen=True, slots=True)
class PredictionFolder:
    """The predictions of one system."""

    system: str  #: its name
    files: Mapping[str, Path]  #: files by the id of the instance; instances without a file are missing


def find_predictions(
    folder: Path, instances: Sequence[Instance], systems: Sequence[str] = ()
) -> tuple[PredictionFolder, ...]:
    """Return the systems in a folder of predictions, by name.

    Args:
        folder: Folder in one of the layouts of this module.
        instances: All that are to be predicted.
        systems: Names of those that are wanted; none means all.

    Raises:
        UsageError: There is no such folder, it has no prediction for any of the instances, or a task has
            structures that are not text files.
        DataError: A file leads out of the folder.
        UnknownNameError: There is no system of a wanted name.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; --predictions needs the folder of the predictions")
    names = {
        instance.id: tuple(instance.id + suffix for suffix in _suffixes(instance.task))
        for instance in instances
    }
    folders = {system.system: system for system in _systems(folder, instances, names)}
    if not any(prediction_folder.files for prediction_folder in folders.values()):
        first = instances[0]
        raise UsageError(
            f"{folder} has no prediction for any of the {len(instances)} instances; looked for files such as "
            f"{Path(first.subset, 'SYSTEM', names[first.id][0])} and {names[first.id][0]}"
        )
    for name in systems:
        if name not in folders:
            raise UnknownNameError("system", name, folders)
    return tuple(folders[name] for name in (systems or folders))


def _suffixes(task: str) -> tuple[str, ...]:
    """Return the suffixes of a task's predictions.

    Raises:
        UsageError: They are not text files.
    """
    spec = task_spec(task)
    suffixes = spec.prediction_suffixes or ((spec.structure_suffix,) if spec.structure_suffix else ())
    if not suffixes or spec.structure_is_site:
        raise UsageError(
            f"task {task!r} has no predictions that are text files; evaluate them with --model replay:FILE"
        )
    return suffixes


def _systems(
    folder: Path, instances: Sequence[Instance], names: Mapping[str, tuple[str, ...]]
) -> Iterator[PredictionFolder]:
    def files(*layouts: str) -> dict[str, Path]:
        paths: dict[str, Path] = {}
        for instance in instances:
            folders = [folder / layout.format(subset=instance.subset) for layout in layouts]
            places = (place / name for place in reversed(folders) for name in names[instance.id])
            if (path := next((place for place in places if place.is_file()), None)) is not None:
                paths[instance.id] = path
        for path in paths.values():
            if not path.resolve().is_relative_to(folder.resolve()):
                raise DataError(path, 0, f"leads out of {folder}")
        return paths

    subsets = dict.fromkeys(instance.subset for instance in instances)
    systems = sorted({path.name for subset in subsets for path in _folders(folder / subset)})
    for system in systems:
        yield PredictionFolder(system, files("{subset}/" + _layout(system)))
    if systems:
        return
    one = PredictionFolder(folder.resolve().name, files("{subset}", ""))
    several = [] if one.files else sorted({path.name for path in _folders(folder)} - set(subsets))
    found = [PredictionFolder(system, files(_layout(system))) for system in several]
    yield from [system for system in found if system.files] or [one]


def _layout(system: str) -> str:
    return system.replace("{", "{{").replace("}", "}}")


def _folders(folder: Path) -> Iterable[Path]:
    entries = folder.iterdir() if folder.is_dir() else ()
    return (path for path in entries if path.is_dir() and not path.name.startswith("."))


class Predictions(Model):
    """Answers with the files of a folder. An instance without a file has the empty answer, marked as missing.

    Args:
        folder: The predictions of one system.
        most_characters: The most characters of a completion; of a longer one only the beginning is read.

    Raises:
        DataError: A file cannot be read.
    """

    whole = True
    concurrency = 8
    single_turn = "the folder has one prediction for each instance"

    def __init__(self, folder: PredictionFolder, most_characters: int = COMPLETION_CHARACTERS) -> None:
        self.name = f"predictions/{folder.system}"
        self._files, self._most_characters = folder.files, most_characters
        digest = hashlib.sha256()
        for identity, path in sorted(folder.files.items()):
            digest.update(f"{identity}\0".encode() + _sha256(path))
        self.fingerprint = digest.hexdigest()

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the content of the file of an instance; bytes that are not UTF-8 are replaced by U+FFFD.

        Raises:
            DataError: It cannot be read any more.
        """
        path = self._files.get(instance.id)
        if path is None:
            return Completion("", Finish.MISSING)
        text = (await asyncio.to_thread(_read, path, _BYTES * (self._most_characters + 1))).decode(
            "utf-8", "replace"
        )
        return bounded_completion(Completion(text, Finish.STOP), self._most_characters)


def _read(path: Path, most: int) -> bytes:
    with reading(path), path.open("rb") as file:
        return file.read(most)


def _sha256(path: Path) -> bytes:
    with reading(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
