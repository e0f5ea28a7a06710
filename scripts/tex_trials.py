#!/usr/bin/env python3
"""Writes what trials of TeX packages have shown into the LaTeX renderer: scripts/tex_trials.py INDEX….

Each INDEX is a ``texindex.sqlite`` that ``i2s-render-latex index`` has built, on a machine with the trees of
one distribution (``--state-dir`` names the folder for it). The file names packages, files and digests, and a
bit for each name that a package was asked for. A record that does not fit a tree is not used there, so one
that is stale costs time and changes no index.
"""

from __future__ import annotations

import sys
from pathlib import Path

from i2s_render_latex.texindex.index import read_trials
from i2s_render_latex.texindex.records import Record, pack_records

_SHIPPED = Path(__file__).parent.parent / "services/render-latex/src/i2s_render_latex/texindex/trials.json.xz"


def main(indexes: list[str]) -> int:
    """Merge the trials of indexes."""
    merged: dict[str, list[Record]] = {}
    for index in indexes:
        trials = read_trials(Path(index))
        if not trials:
            print(
                f"tex_trials: {index} holds no trials; build it with i2s-render-latex index", file=sys.stderr
            )
            return 1
        for package, records in trials.items():
            known = merged.setdefault(package, [])
            known += [record for record in records if record not in known]
    packed = pack_records(merged)
    _SHIPPED.write_bytes(packed)
    print(f"{len(merged)} packages, {len(packed)} bytes: {_SHIPPED}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
