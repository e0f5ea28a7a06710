"""Writes what was accepted as a data set, so that it is there whole or as it was before."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from i2s_collect.caps import Accepted, instance_id
from i2s_collect.files import ContentFiles
from i2s_sdk.data.folder import INDEX
from i2s_sdk.data.format_2 import Line, line
from i2s_sdk.files import write_whole, writing
from i2s_sdk.tasks.registry import task_spec

_PARTS = ("references", "structures")
#: Names of files that were written here: the SHA-256 of their content.
_OURS = re.compile(r"[0-9a-f]{64}\.[a-z.]+")


def write_data_set(
    folder: Path,
    source: str,
    task: str,
    accepted: Mapping[str, Sequence[Accepted]],
    difficulties: Mapping[str, Sequence[str]],
    files: ContentFiles,
    facts: Mapping[str, str],
) -> int:
    """Write the data set and return how many instances it has.

    Files of an earlier writing that no line names any more are removed; files of others stay.

    Args:
        folder: Folder of the data set.
        source: Name of the source.
        task: Name of the task.
        accepted: Pieces by subset, in the order of the lines.
        difficulties: Difficulties of these pieces, by subset; empty for none.
        files: Files that hold structures and images.
        facts: Facts of the collection: "collected", "collector".

    Raises:
        WriteError: It cannot be written.
        DataError: A file of the collection is gone.
    """
    suffix = task_spec(task).structure_suffix
    named: set[Path] = set()
    lines: list[Line] = []
    with writing(folder):
        for subset, pieces in accepted.items():
            for piece, difficulty in zip(pieces, difficulties[subset], strict=True):
                outcome = piece.outcome
                image = f"references/{outcome.picture}.png"
                structure = f"structures/{outcome.structure}{suffix}" if outcome.structure else ""
                for name, digest in ((image, outcome.picture), (structure, outcome.structure)):
                    if not name:
                        continue
                    if not (folder / name).exists():
                        write_whole(folder / name, files.read(digest))
                    named.add(folder / name)
                inputs: dict[str, Any] = {"image": image}
                if outcome.assets:
                    inputs["assets"] = list(outcome.assets)
                lines.append(
                    line(
                        instance_id(piece.document, subset, outcome.key),
                        task,
                        subset,
                        inputs,
                        {"structure": structure} if structure else None,
                        difficulty=difficulty,
                        licence=piece.document.licence.name,
                        provenance=provenance(source, piece, facts),
                    )
                )
        content = "".join(json.dumps(one, ensure_ascii=False, sort_keys=True) + "\n" for one in lines)
        write_whole(folder / INDEX, content.encode())
        for part in _PARTS:
            for path in (folder / part).iterdir() if (folder / part).is_dir() else ():
                if path not in named and _OURS.fullmatch(path.name):
                    path.unlink()
    return len(lines)


def provenance(source: str, piece: Accepted, facts: Mapping[str, str]) -> dict[str, Any]:
    """Return where an instance comes from, as its line has it."""
    document, outcome = piece.document, piece.outcome
    licence = document.licence
    return {
        "source": source,
        "id": document.key,
        "version": outcome.version,
        "url": outcome.url,
        "member": outcome.member,
        "bytes": list(outcome.span),
        **({"place": outcome.place} if outcome.place else {}),
        "licence": {
            "name": licence.name,
            "url": licence.url,
            "redistributable": licence.redistributable,
        },
        "attribution": {
            "title": document.title,
            "authors": list(document.authors),
            "url": document.url,
        },
        "owner": document.owner,
        "date": document.day.isoformat(),
        "collected": facts["collected"],
        "collector": facts["collector"],
        "engine": dict(outcome.engine),
        "filters": dict(outcome.values),
        "notes": dict(outcome.notes),
        "length": outcome.length,
    }
