"""Pages of benchmarks and metrics give the figures of the stored results."""

from __future__ import annotations

import json
import re
from typing import Any

from documentation_pages import DOCS

RESULTS = DOCS.parent / "benchmarks/results"
TIMES = {
    row["case"]: row["median"]
    for row in json.loads((RESULTS / "document_scores.json").read_text("utf-8"))["cpu_seconds"]
}


def _page(name: str) -> str:
    return " ".join((DOCS / name).read_text(encoding="utf-8").split())


def _pairs(task: str, metric: str) -> dict[str, Any]:
    tasks = json.loads((RESULTS / "ladder_pages.json").read_text("utf-8"))["tasks"]
    (of_task,) = [ladder for ladder in tasks if ladder["task"] == task and not ladder["subset"]]
    (order,) = [order for order in of_task["metrics"] if order["metric"] == metric]
    return {name: share["value"] for name, share in order["pairs"].items()}


def test_times_of_tables_and_pages_are_those_of_the_results() -> None:
    tables = [seconds for case, seconds in TIMES.items() if case.startswith("TEDS")]
    assert f"take {min(tables):.2f} to {max(tables):.2f} s of CPU time" in _page("metrics.md")
    shown = re.search(r"takes (\S+) s of CPU time, .* (\S+) s \(`benchmarks/doc", _page("omnidocbench.md"))
    assert shown is not None
    assert shown.groups() == (f"{TIMES['dense page']:.1f}", f"{TIMES['a paragraph a line']:.1f}")


def test_shares_of_ordered_pairs_are_those_of_the_results() -> None:
    assert _pairs("omnidocbench", "overall")["all pairs"] == 1
    for metric in ("design2code_dom", "text_f1"):
        pairs = _pairs("design2code", metric)
        assert pairs["all pairs"] == pairs["equivalent over half"] == 1, metric
    shown = re.search(r"`ems` only in (\S+) of these pairs", _page("design2code.md"))
    assert shown is not None
    share = _pairs("design2code", "ems")["equivalent over half"]
    assert shown[1] == f"{share:.2f}".removeprefix("0")
