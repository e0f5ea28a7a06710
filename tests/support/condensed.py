"""What an evaluation found, cut down to what a later version has to find too."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from recorded import without_networks

from i2s_sdk.runs.folder import MANIFEST, RESULTS, read_records
from i2s_sdk.runs.record import Record

#: Facts of a manifest that decide what a rendering looks like.
_ENGINES = ("render-latex", "render-html", "render-lilypond")


def condensed(run: Path) -> dict[str, Any]:
    """Return what a run found.

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
        "samples": {name: _sample(one) for name, one in sorted(read_records(run).items())},
        "results": without_networks({key: one for key, one in results.items() if key != "unavailable"}),
    }


def _sample(record: Record) -> dict[str, Any]:
    plain = record.to_json()
    kept = (
        "outcome",
        "verdict",
        "verdict_before_repair",
        "message",
        "error",
        "repairs",
        "assets",
        "undefined",
    )
    of_picture = ("width", "height", "pages", "reference_sha256", "rendering_sha256", "document_sha256")
    texts = {
        f"{name}_sha256": hashlib.sha256((plain[name] or "").encode()).hexdigest()
        for name in ("completion", "structure")
    }
    found = {name: plain[name] for name in (*kept, *of_picture)} | texts | {"metrics": plain["metrics"]}
    return without_networks(json.loads(json.dumps(found)))  # type: ignore[no-any-return]
