"""Published tables by name, and whether a run can stand beside them: same instances, same rules."""

from __future__ import annotations

from i2s_sdk.report.view import RunView
from i2s_sdk.tasks.benchmark import PublishedTable
from i2s_sdk.tasks.registry import BENCHMARKS, SPECS, task_spec
from i2s_wire.metrics.profile import Profile


def published_table(name: str) -> PublishedTable:
    """Return a table of the paper of Image2Struct by its number there, or one of another task by its name.

    Args:
        name: Name, such as "2", "A2", "visualwebbench grounding" or "readoc arxiv".

    Raises:
        KeyError: There is no such table.
    """
    for benchmark in BENCHMARKS:
        if name in benchmark.published:
            return benchmark.published[name]
    for spec in SPECS.values():
        if name in spec.published:
            return spec.published[name]
    raise KeyError(name)


#: Name of the fact in a manifest that says which published data sets the data set was made of.
DATA_SET = "data set"


def published_mismatch(view: RunView, task: str) -> str:
    """Return why the values of a run cannot be compared with the published ones of a task.

    They can if the run follows the rules of the released code, and has every instance of the published
    subsets of a published data set.

    Args:
        view: The run.
        task: Name of a task of the run.

    Returns:
        The reasons, such as "17 instances of other data; profile paper"; empty if they can be compared, or if
        nothing is published.
    """
    data = _published_data(task)
    if not data:
        return ""
    options = view.manifest.options
    planned = [instance for instance in view.instances if instance.task == task]
    origin = set(view.manifest.about.get(DATA_SET, "").split(", "))
    reasons = []
    if not origin & data:
        reasons.append(f"{len(planned)} instance{'' if len(planned) == 1 else 's'} of other data")
    elif options.limit is not None or options.samples or options.difficulties or options.shard:
        reasons.append(f"only {len(planned)} of the instances")
    elif missing := set(task_spec(task).subsets) - {grouped_sample.subset for grouped_sample in planned}:
        reasons.append(f"without {', '.join(sorted(missing))}")
    if options.profile != Profile.HELM:
        reasons.append(f"profile {options.profile}")
    return "; ".join(reasons)


def _published_data(task: str) -> set[str]:
    """Return the names of the data sets whose values are published; empty if there are none."""
    spec = task_spec(task)
    tables = [spec.published_table, *spec.subset_tables.values()]
    tables += [benchmark.published_table for benchmark in BENCHMARKS if task in benchmark.main_metrics]
    return {name for table in tables if table for name in published_table(table).data}
