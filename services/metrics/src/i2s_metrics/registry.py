"""Which metrics there are, by name and profile."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from i2s_metrics.errors import UnknownMetricError
from i2s_metrics.metrics.base import Metric
from i2s_metrics.metrics.cis import HelmInceptionSimilarity, PaperInceptionSimilarity
from i2s_metrics.metrics.ems import HelmEarthMoverSimilarity, PaperEarthMoverSimilarity
from i2s_metrics.metrics.exact import ExactMatch
from i2s_metrics.metrics.lpips import HelmLearnedPerceptualSimilarity, PaperLearnedPerceptualSimilarity
from i2s_metrics.metrics.pixel import HelmPixelSimilarity, PaperPixelSimilarity
from i2s_metrics.metrics.ssim import HelmStructuralSimilarity, PaperStructuralSimilarity
from i2s_metrics.model import Network
from i2s_wire.metrics.profile import Profile

#: Networks that cannot be run here, each with the reason and what would make it run.
Missing = Mapping[Network, str]

#: Every metric, in the order in which they are listed; one name a profile.
METRICS: tuple[Metric, ...] = (
    PaperEarthMoverSimilarity(),
    HelmEarthMoverSimilarity(),
    PaperPixelSimilarity(),
    HelmPixelSimilarity(),
    ExactMatch(),
    PaperStructuralSimilarity(),
    HelmStructuralSimilarity(),
    PaperLearnedPerceptualSimilarity(),
    HelmLearnedPerceptualSimilarity(),
    PaperInceptionSimilarity(),
    HelmInceptionSimilarity(),
)

_BY_NAME = {(metric.name, profile): metric for metric in METRICS for profile in metric.profiles}


def find(name: str, profile: Profile) -> Metric:
    """Return a metric.

    Raises:
        UnknownMetricError: The profile has none of this name.
    """
    metric = _BY_NAME.get((name, profile))
    if metric is None:
        raise UnknownMetricError(_unknown(name, profile))
    return metric


def reason_against(metric: Metric, missing: Missing) -> str:
    """Return why a metric cannot be computed here, and what would change that; empty if it can."""
    if metric.network is None or metric.network not in missing:
        return ""
    return f"{metric.name} {missing[metric.network]}"


def available(profile: Profile, missing: Missing) -> tuple[str, ...]:
    """Return the names of what can be computed, in the order of ``METRICS``."""
    return tuple(name for name in names(profile) if not reason_against(find(name, profile), missing))


def names(profile: Profile) -> tuple[str, ...]:
    """Return all names that a profile has."""
    return tuple(metric.name for metric in METRICS if profile in metric.profiles)


def choose(wanted: Sequence[str], profile: Profile, missing: Missing) -> tuple[str, ...]:
    """Return the names to compute: those wanted, or what is available if none is.

    Raises:
        UnknownMetricError: A name is unknown or stands twice.
    """
    for place, name in enumerate(wanted):
        find(name, profile)
        if name in wanted[:place]:
            raise UnknownMetricError(f"{name} stands twice; name each metric once")
    return tuple(wanted) or available(profile, missing)


def _unknown(name: str, profile: Profile) -> str:
    known = names(profile)
    near = difflib.get_close_matches(name.lower(), known, n=1)
    hint = f"; did you mean {near[0]}" if near else ""
    return f"no metric is called {name[:40]!r}{hint} (known: {', '.join(known)})"
