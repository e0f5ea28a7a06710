"""Titles of tables and columns, and the notes that tables share."""

from __future__ import annotations

from collections.abc import Mapping

from i2s_sdk.report.published import published_table
from i2s_sdk.stats.aggregate import RENDERED, Summary
from i2s_sdk.tasks.registry import SPECS
from i2s_wire.metrics.profile import Profile

#: Titles of metrics of the paper, in the order of its columns.
METRIC_TITLES = {
    RENDERED: "Rendering success",
    "ems": "EMS",
    "pixel": "Pixel similarity",
    "exact": "Exact",
    "cis": "CIS",
    "lpips": "LPIPS",
    "ssim": "SSIM",
    "edit": "Edit sim.",
    "edit_tex": "Edit sim. of TeX",
    "edit_normal": "Edit sim., normalised",
}

FAILED_COUNT_ZERO = "A failed rendering counts 0; wild subsets are left out."

#: Behind the name of a run that cannot be compared with the published rows below it.
MISMATCH_MARK = "‡"


def metric_title(task: str, name: str) -> str:
    """Return the title of a column of a task."""
    if name == RENDERED and not SPECS[task].renders:
        return "Usable"
    return METRIC_TITLES.get(name, name)


def table_title(what: str, number: str) -> str:
    """Return the title of a table, with the number of the paper's table of its layout if there is one."""
    label = published_table(number).label if number else ""
    return f"{what} (as {label} of the paper)" if label else what


def mismatch_notes(apart: Mapping[str, str]) -> list[str]:
    """Return why runs cannot be compared with published rows, as one note for each reason.

    Args:
        apart: Reasons by label.
    """
    by_reason: dict[str, list[str]] = {}
    for label, reason in apart.items():
        by_reason.setdefault(reason, []).append(label)
    return [
        f"{MISMATCH_MARK} Not comparable with the published rows, and not ranked among them: "
        f"{', '.join(labels)} ({reason})."
        for reason, labels in by_reason.items()
    ]


def profile_note(runs: Mapping[str, Summary], name: str = Profile.HELM) -> list[str]:
    """Return a note that names the runs of another profile than published values; empty if there are none.

    Args:
        runs: Numbers by label.
        name: What the profile of published values is called.
    """
    others = [label for label, summary in runs.items() if summary.profile != Profile.HELM]
    if not others:
        return []
    return [f"The published values follow the rules of profile {name}; not so: {', '.join(others)}."]
