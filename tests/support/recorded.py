"""What version 0.1.0 left and printed, kept in tests/recorded: later versions read it and lose nothing."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.run.storage.folder import MANIFEST, RESULTS, read_records
from i2s_sdk.run.storage.record import Record

RECORDED = Path(__file__).resolve().parents[1] / "recorded"

#: Stands in a shape for what was null, which may be anything later.
ANYTHING = "(anything)"

#: Metrics that need the weights of networks, which a machine of tests may have or not.
NETWORKS = frozenset({"lpips", "cis"})


def recorded_run(name: str, into: Path) -> Path:
    """Lay out a recorded run, with its data and its answers beside it, and return its folder.

    Args:
        name: "finished", "interrupted" (killed after five of its fourteen samples), "shard-1" or "shard-2".
        into: Folder that the run is laid into; the data set is its "data", the completions "answers.jsonl".
    """
    if not (into / "data").exists():
        shutil.copytree(RECORDED / "data", into / "data")
        shutil.copy(RECORDED / "answers.jsonl", into / "answers.jsonl")
    with zipfile.ZipFile(RECORDED / "runs" / f"{name}.zip") as archive:
        archive.extractall(into)
    return into / name


def recorded_json(name: str) -> Any:
    """Return a recorded JSON document by its path below tests/recorded."""
    return json.loads((RECORDED / name).read_text())


def without_networks(document: Any) -> Any:
    """Return a JSON document without the metrics of networks."""
    if isinstance(document, Mapping):
        return {key: without_networks(one) for key, one in document.items() if key not in NETWORKS}
    if isinstance(document, list):
        return [without_networks(one) for one in document if not (isinstance(one, str) and one in NETWORKS)]
    return document


#: Fields of intervals. Runs of version 0.1.0 hold those of another method, which are not compared.
INTERVALS = frozenset({"interval", "intervals", "interval_kind", "interval_kinds"})


def without_intervals(document: Any) -> Any:
    """Return a JSON document without intervals."""
    if isinstance(document, Mapping):
        return {key: without_intervals(one) for key, one in document.items() if key not in INTERVALS}
    return [without_intervals(one) for one in document] if isinstance(document, list) else document


#: Values of this metric that differ by no more are the same: its sums are added up in another order than they
#: were when they were recorded.
REORDERED, SAME = "ssim", 1e-9


def lost(before: Any, now: Any, at: str = "") -> Iterator[str]:
    """Yield what a JSON document has lost: keys that are gone, and values of another type or other values.

    Keys may be gained. Numbers and texts have to be equal, values of ``REORDERED`` to ``SAME``; leave out
    what may differ beforehand, or compare the shapes of both.
    """
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key, one in before.items():
            if key in now:
                yield from lost(one, now[key], f"{at}/{key}")
            else:
                yield f"{at}/{key}: gone"
    elif isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            yield f"{at}: {len(before)} items became {len(now)}"
        for number, (one, other) in enumerate(zip(before, now, strict=False)):
            yield from lost(one, other, f"{at}/{number}")
    elif REORDERED in at.split("/") and isinstance(before, float) and isinstance(now, float):
        if abs(before - now) > SAME:
            yield f"{at}: {before!r} became {now!r}"
    elif before not in (now, ANYTHING):
        yield f"{at}: {before!r} became {now!r}"


def shape(document: Any) -> Any:
    """Return a JSON document with types in place of values, and lists cut to their first item."""
    match document:
        case Mapping():
            return {key: shape(one) for key, one in document.items()}
        case list():
            return [shape(one) for one in document[:1]]
        case None:
            return ANYTHING
        case bool():
            return "boolean"
        case int() | float():
            return "number"
    return "string"


#: Facts of a manifest that decide what a rendering looks like.
_ENGINES = ("render-latex", "render-html", "render-lilypond")


def findings(run: Path) -> dict[str, Any]:
    """Return what an evaluation found, cut down to what a later version has to find too.

    Returns:
        ``engines``: by renderer, version and digest of the fonts, which decide what renderings look like;
        ``samples``: by id; ``results``: results.json without the metrics of networks.
    """
    about = json.loads((run / MANIFEST).read_text())["about"]
    results = json.loads((run / RESULTS).read_text())
    return {
        "engines": {
            name: [about[name].partition(", isolation")[0], about[f"{name} fonts digest"]]
            for name in _ENGINES
        },
        "samples": {name: _sample(record) for name, record in sorted(read_records(run).items())},
        "results": without_networks({key: result for key, result in results.items() if key != "unavailable"}),
    }


_OF_STRUCTURE = ("outcome", "verdict", "verdict_before_repair", "message", "error", "repairs", "assets")
_OF_PICTURES = ("width", "height", "pages", "reference_sha256", "rendering_sha256", "document_sha256")


def _sample(record: Record) -> Any:
    plain = json.loads(json.dumps(record_line(record)))
    texts = {
        f"{name}_sha256": hashlib.sha256((plain[name] or "").encode()).hexdigest()
        for name in ("completion", "structure")
    }
    kept = {name: plain[name] for name in (*_OF_STRUCTURE, "undefined", *_OF_PICTURES, "metrics")}
    return without_networks(kept | texts)
