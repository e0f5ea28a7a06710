"""Scorers of the user: a function of a sample in a Python file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from i2s_sdk.errors import ScorerError, UsageError
from i2s_sdk.own_code import OwnFunction, fault_of
from i2s_sdk.scoring.scorer import Metric, MetricValues, Scorable, Scorer

#: Global name of a file that lists the metrics of a function that returns several values.
METRICS = "METRICS"

#: What the version of such a scorer begins with, in the manifest of a run.
_VERSION = "file "


def is_own_metric(version: str) -> bool:
    """Return whether the version of a metric is that of a scorer of the user."""
    return version.startswith(_VERSION)


@dataclass(frozen=True, slots=True)
class OwnScorer(Scorer):
    """Calls a function of a sample, which returns a value, or values by name."""

    #: The function.
    function: OwnFunction
    #: Name of the file and of the function.
    name: str
    #: The same with the digest of the file.
    version: str
    #: One of the name of the function, or those that the file lists in METRICS.
    metrics: tuple[Metric, ...]
    #: True: what a model wrote decides how long the function takes.
    in_worker: bool = True

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the scorer that a text such as "my.py:score" names.

        Raises:
            UsageError: There is no such function, or its metrics are not a list of names.
        """
        function = OwnFunction.parse(text)
        names = getattr(function.module(), METRICS, (function.name,))
        if isinstance(names, str) or not isinstance(names, Sequence) or not all(map(_is_name, names)):
            raise UsageError(f"{function}: {METRICS} of {function.path} is not a list of names of metrics")
        metrics = tuple(Metric(name) for name in names)
        return cls(function, str(function), f"{_VERSION}{function} {function.digest}", metrics)

    def applies(self, sample: Scorable) -> bool:
        """Return True: the function sees every sample that is usable."""
        return True

    def score(self, sample: Scorable) -> MetricValues:
        """Return what the function returns; a metric that it leaves out, or gives as None, is not defined.

        Raises:
            ScorerError: It raises an error, or returns a name that is not listed.
        """
        names = [metric.name for metric in self.metrics]
        function = self.function.load()
        try:
            returned = function(sample)
        except (MemoryError, RecursionError):
            raise  # limits, which are the doing of the sample
        except Exception as error:  # the code of a user may raise anything
            raise ScorerError(fault_of(self.function, error)) from error
        by_name = returned if isinstance(returned, Mapping) else dict(zip(names, [returned], strict=False))
        if unknown := sorted(by_name.keys() - set(names)):
            raise ScorerError(
                f"{self.name} returns {unknown[0]!r}; list all names that it returns: "
                f"{METRICS} = {sorted(map(str, by_name))}"
            )
        values = {name: by_name.get(name) for name in names}
        reason = f"{self.name} gives no value"
        return MetricValues(
            {name: None if value is None else float(value) for name, value in values.items()},
            {name: reason for name, value in values.items() if value is None},
        )


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name.isidentifier()
