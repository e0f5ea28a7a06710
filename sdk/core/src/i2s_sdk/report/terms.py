"""What the names of columns mean, as a page says it where they stand."""

from __future__ import annotations

from collections.abc import Sequence

from i2s_sdk.report.tables import metric_title
from i2s_sdk.report.view import RunView, usable_word
from i2s_sdk.scoring.scorer import Average, Metric
from i2s_sdk.stats.aggregate import RENDERED
from i2s_sdk.stats.columns import mean_range

_BETTER = "Higher is better."

#: Names of columns that are no metrics, in lower case.
WORDS = {
    "all": "Mean over all scored samples: one that is not usable counts what its metrics say, as a rule 0.",
    "before repair": f"Share of scored samples that were usable before anything was repaired. {_BETTER}",
    "better": "Samples in which the second run has the better value: the higher one, in distances the lower.",
    "ceiling": "The value of the ground truth on the same samples, or the largest possible one.",
    "difference": "The second run minus the first over the samples that both have scored.",
    "difference of shares": "The share of the second run minus that of the first.",
    "equal": "Samples in which both runs have the same value.",
    "floor": "The value of the best baseline that looks at nothing, on the same samples.",
    "lost": "Samples whose answer was lost on the way: refused, cut off, without code, or not rendered.",
    "mean skill": f"Mean skill of the tasks: 0 is the floor, 1 the ceiling. {_BETTER}",
    "mean win rate": (
        "Share of the other runs that a run is ahead of, over “rendered” and the main metric of each task; "
        f"reference points are not ranked. {_BETTER}"
    ),
    "scored": "Samples with a score, of all planned ones; a failure of the infrastructure gives none.",
    "skill": f"(value − floor) / (ceiling − floor) of the metric that the note names. {_BETTER}",
    "worse": "Samples in which the second run has the worse value.",
}
_USABLE = {
    "rendered": f"Share of scored samples whose answer gave an image. {_BETTER}",
    "usable": f"Share of scored samples whose answer can be compared. {_BETTER}",
}


class Terms:
    """The names of columns and what they mean.

    Args:
        views: The runs; their tasks name the metrics.
    """

    def __init__(self, views: Sequence[RunView]) -> None:
        self._metrics: dict[str, dict[str, str]] = {}
        self._titles: dict[str, dict[str, str]] = {}
        for view in views:
            for task, columns in view.columns.items():
                known = self._metrics.setdefault(task, {RENDERED: _USABLE[usable_word(task)]})
                known |= {metric.name: about_metric(metric) for metric in columns.metrics if metric.summary}
                known |= {
                    average.name: _about_average(average, columns.metrics_of(average.name))
                    for average in columns.averages
                }
                self._titles[task] = {metric_title(task, name): name for name in known}
        self._places: dict[str, int] = {}

    def about(self, task: str, name: str) -> str:
        """Return what a column means; empty if nothing is known.

        Args:
            task: Name of its task; empty if it is of none, or of the first that has it.
            name: Name of a metric, its title, or another word.
        """
        tasks = [task] if task else list(self._metrics)
        own = next(filter(None, (self._of_task(one, name) for one in tasks)), "")
        return own or WORDS.get(name.lower()) or _USABLE.get(name.lower(), "")

    def _of_task(self, task: str, name: str) -> str:
        known = self._metrics.get(task, {})
        return known.get(name) or known.get(self._titles.get(task, {}).get(name, ""), "")

    def place(self, about: str) -> int:
        """Return the number of an explanation on the page; one text has one number."""
        return self._places.setdefault(about, len(self._places))

    @property
    def placed(self) -> dict[str, int]:
        """The explanations that have a number."""
        return self._places

    def of_metrics(self, task: str, names: Sequence[str]) -> list[str]:
        """Return what metrics of a task mean."""
        return [self.about(task, name) for name in names]


def about_metric(metric: Metric) -> str:
    """Return what a metric means, and which values are better."""
    if metric.lower_is_better:
        return f"{metric.summary} Lower is better, {metric.low:g} at best."
    return f"{metric.summary} Higher is better, at most {metric.high:g}."


def _about_average(average: Average, metrics: Sequence[Metric]) -> str:
    return f"Mean of {', '.join(average.of)}. Higher is better, at most {mean_range(metrics)[1]:g}."
