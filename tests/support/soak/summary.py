"""What came of a soak, as JSON and as a table."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any

from soak.course import Outcome, Wanted
from soak.judge import MIB, growth


def summary(wanted: Wanted, outcome: Outcome, seconds: float) -> dict[str, Any]:
    """Return what came of a soak, for JSON.

    Args:
        wanted: How long and how hard it was to be.
        outcome: What came of it.
        seconds: Duration of the soak.
    """
    first, last = outcome.checkpoints[0], outcome.checkpoints[-1]
    services = {}
    for name, was in first.look.services.items():
        now = last.look.services.get(name, was)
        slope = growth(outcome.checkpoints, name, lambda held: held.memory)
        services[name] = {
            "jobs": last.jobs[name],
            "verdicts": dict(outcome.verdicts.get(name, {})),
            "memory_mib": [round(was.memory / MIB, 1), round(now.memory / MIB, 1)],
            "memory_mib_per_job": round(slope / MIB, 3),
            "processes": [was.processes, now.processes],
            "descriptors": [was.descriptors, now.descriptors],
        }
    times = outcome.recoveries
    return {
        "holds": not outcome.faults and not outcome.held,
        "seed": wanted.seed,
        "seconds": round(seconds, 1),
        "good": outcome.good,
        "hostile": outcome.hostile,
        "kills": sum(act.killed for act in outcome.acts),
        "stops": sum(not act.killed for act in outcome.acts),
        "acts": dict(sorted(Counter(act.what for act in outcome.acts).items())),
        "recovery_seconds": {
            "median": round(statistics.median(times), 3) if times else None,
            "most": round(max(times), 3) if times else None,
        },
        "services": services,
        "orphans": last.look.orphans,
        "entries": [first.look.entries, last.look.entries],
        "faults": outcome.faults,
        "held": outcome.held,
    }


def table(found: dict[str, Any]) -> str:
    """Return a summary as text for people."""
    lines = [f"{'':16} {'jobs':>5} {'MiB':>13} {'a job':>7} {'processes':>10} {'descriptors':>12}"]
    for name, service in found["services"].items():
        memory, processes, descriptors = (
            " → ".join(str(number) for number in service[key])
            for key in ("memory_mib", "processes", "descriptors")
        )
        kept = service["memory_mib_per_job"]
        lines.append(f"{name:16} {service['jobs']:5} {memory:>13} {kept:7} {processes:>10} {descriptors:>12}")
    recovery = found["recovery_seconds"]
    lines += [
        f"temporary entries {' → '.join(map(str, found['entries']))}, orphans {found['orphans']}",
        f"{found['good']} good and {found['hostile']} hostile jobs, {found['kills']} kills and "
        f"{found['stops']} stops in {found['seconds']} s (seed {found['seed']})",
        f"from a kill to the next good picture: median {recovery['median']} s, most {recovery['most']} s",
        *(f"FAULT {fault}" for fault in found["faults"]),
        *(f"HELD {one}" for one in found["held"]),
        "holds" if found["holds"] else "DOES NOT HOLD",
    ]
    return "\n".join(lines)
