"""Values that runs must reach, such as ``ems>=0.8``, and a JUnit file of which of them they reached."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from xml.etree import ElementTree

from i2s_sdk.errors import UnknownNameError, UsageError, WriteError
from i2s_sdk.stats.aggregate import RENDERED, Group, Summary, TaskResult
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import SPECS, open_task, task_spec
from i2s_wire.metrics.profile import Profile

#: Another name of the share of usable samples, for tasks that render nothing.
USABLE = "usable"

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(
    r"(?:(?P<task>[^/:<>=]+)(?:/(?P<subset>[^:<>=]+))?:)?(?P<metric>[^/:<>=]+)(?P<sign>>=|<=|>|<)(?P<bound>[^<>=]+)"
)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A bound of a value of a run."""

    #: Text as it was given.
    text: str
    #: Name of the task; empty for every task of the run that has the metric.
    task: str
    #: Name of a subset of the task; empty for the value of the task.
    subset: str
    #: Name of the metric, or "rendered", the share of usable samples, which can be given as "usable" too.
    metric: str
    #: ">=", "<=", ">" or "<".
    sign: str
    #: The number that the value is compared with.
    bound: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the requirement that a text such as "ems>=0.8" or "latex/equation:ems>=0.8" states.

        Raises:
            UsageError: It is not of the form [TASK[/SUBSET]:]METRIC>=VALUE.
            UnknownNameError: There is no such task.
        """
        match = _FORM.fullmatch("".join(text.split()))
        try:
            bound = float(match["bound"]) if match else math.nan
        except ValueError:
            bound = math.nan
        if match is None or not math.isfinite(bound):
            raise UsageError(
                f"--require {text}: is not of the form [TASK[/SUBSET]:]METRIC>=VALUE, such as ems>=0.8 or "
                "latex/equation:ems>=0.8; the signs are >=, >, <= and <"
            )
        if match["task"]:
            task_spec(match["task"])
        metric = RENDERED if match["metric"] == USABLE else match["metric"]
        return cls(text, match["task"] or "", match["subset"] or "", metric, match["sign"], bound)

    def require_metric(self, others: Collection[str] = ()) -> None:
        """Refuse a metric that no task has.

        Args:
            others: Metrics that are known beside those of the tasks, such as those of a run.

        Raises:
            UnknownNameError: There is no such metric.
        """
        tasks = [self.task] if self.task else list(SPECS.usable())
        known = {RENDERED, *others}.union(*map(_columns_of, tasks))
        if self.metric not in known:
            raise UnknownNameError("metric", self.metric, known)

    def check(self, run: str, summary: Summary) -> list[Check]:
        """Return how a run compares with the bound: one check for each task that it applies to.

        Args:
            run: Name of the run.
            summary: Its numbers.
        """
        if self.task:
            tasks = {name: task for name, task in summary.tasks.items() if name == self.task}
            if not tasks:
                return [Check(self, run, self.task, None, f"the run has no task {self.task}")]
        else:
            tasks = {name: task for name, task in summary.tasks.items() if self.metric in task.values}
            if not tasks:
                return [Check(self, run, "", None, f"no task of the run has the metric {self.metric}")]
        return [self._check_task(run, name, task) for name, task in tasks.items()]

    def _check_task(self, run: str, task: str, result: TaskResult) -> Check:
        values: Mapping[str, float | None]
        if self.subset:
            groups = (subset for subset in (*result.subsets, *result.apart) if subset.name == self.subset)
            group = next(groups, None)
            if group is None:
                return Check(self, run, task, None, f"task {task} of the run has no subset {self.subset}")
            values = _values(group)
        else:
            values = result.values
        if self.metric not in values:
            return Check(self, run, task, None, f"task {task} of the run has no metric {self.metric}")
        value = values[self.metric]
        if value is None:
            return Check(
                self, run, task, None, f"{self.metric} of task {task} has no value: no sample is scored"
            )
        where = f"{task}/{self.subset}" if self.subset else task
        if _OPERATORS[self.sign](value, self.bound):
            return Check(self, run, task, value, "")
        return Check(
            self, run, task, value, f"{where}: {self.metric} is {value:.6g}, not {self.sign} {self.bound:g}"
        )


@dataclass(frozen=True, slots=True)
class Check:
    """A requirement and the value of a run."""

    #: The requirement that was checked.
    requirement: Requirement
    #: Name of the run.
    run: str
    #: Name of the task; empty if no task of the run has the metric.
    task: str
    #: The value; None if there is none.
    value: float | None
    #: Why the requirement does not hold; empty if it holds.
    failure: str

    def to_json(self) -> dict[str, Any]:
        """Return the check as JSON has it."""
        return {
            "require": self.requirement.text,
            "run": self.run,
            "task": self.task or None,
            "value": self.value,
            "holds": not self.failure,
            "failure": self.failure or None,
        }


def check_runs(requirements: Sequence[Requirement], runs: Mapping[str, Summary]) -> list[Check]:
    """Return the checks of all requirements for all runs.

    Args:
        requirements: The requirements that are checked.
        runs: Numbers of runs by name.
    """
    return [
        check
        for run, summary in runs.items()
        for requirement in requirements
        for check in requirement.check(run, summary)
    ]


def _columns_of(task: str) -> set[str]:
    """Return the names of the metrics and averages that a task has in a profile."""
    metrics = {metric.name for profile in Profile for metric in metrics_of(open_task(task, profile))}
    return metrics.union(average.name for average in task_spec(task).averages)


def _values(group: Group) -> dict[str, float | None]:
    """Return the values of a subset by metric."""
    values = {name: metric.all.value for name, metric in group.metrics.items()}
    return {RENDERED: group.share_rendered, **values}


def write_junit(path: Path, runs: Mapping[str, Summary], checks: Sequence[Check]) -> None:
    """Write a JUnit file: a test suite for each run, with a test case for each check and one for its samples.

    The test case ``samples`` fails if samples have no score.

    Args:
        path: The file; folders above it are made.
        runs: Numbers of runs by name.
        checks: What was required of them.

    Raises:
        WriteError: The file cannot be written.
    """
    root = ElementTree.Element("testsuites", name="i2s-sdk")
    for run, summary in runs.items():
        cases = [(_case_name(check), check.failure) for check in checks if check.run == run]
        lost = summary.failures
        cases.append(("samples", f"{lost} of {summary.planned} samples have no score" if lost else ""))
        failures = sum(bool(failure) for _, failure in cases)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=run,
            tests=str(len(cases)),
            failures=str(failures),
            errors="0",
            skipped="0",
        )
        for name, failure in cases:
            case = ElementTree.SubElement(suite, "testcase", classname=run, name=name, time="0")
            if failure:
                ElementTree.SubElement(case, "failure", message=failure).text = failure
    tree = ElementTree.ElementTree(root)
    ElementTree.indent(tree)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tree.write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise WriteError(path, error) from None


def _case_name(check: Check) -> str:
    requirement = check.requirement
    return requirement.text if requirement.task or not check.task else f"{check.task}: {requirement.text}"
