"""What is required of a run of many samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Bounds:
    """Each value must stay below."""

    #: Memory of the evaluating process, from a fifth of the run to its end, for each sample.
    growth_kib: float = 2.0
    open_seconds: float = 10.0  #: CPU seconds to open the large run.
    #: CPU seconds for the numbers and the report, of the run and of the large one.
    report_seconds: float = 60.0
    peak_mib: float = 1024.0  #: The most memory at any time, those included.


def missed(found: Mapping[str, Any], bounds: Bounds) -> list[str]:
    """Return the bounds that what was measured does not stay below, as sentences."""
    checks = [
        ("memory grows by {:.2f} KiB a sample", found["growth_kib_a_sample"], bounds.growth_kib),
        ("opening takes {:.1f} CPU s", found["opened"]["cpu_s"], bounds.open_seconds),
    ]
    for name, of in (("the run", found["numbers_and_report"]), ("the large run", found["reported"])):
        checks.append((f"the report of {name} takes {{:.1f}} CPU s", of["cpu_s"], bounds.report_seconds))
        checks.append((f"memory of {name} reaches {{:.0f}} MiB", of["peak_mib"], bounds.peak_mib))
    return [
        f"{text.format(value)}, which is not below {bound:g}"
        for text, value, bound in checks
        if value >= bound
    ]
