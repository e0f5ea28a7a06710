import math

import pytest

from i2s_metrics import registry
from i2s_metrics.errors import UnknownMetricError
from i2s_metrics.model import Profile


@pytest.mark.parametrize("profile", Profile)
def test_both_profiles_have_the_five_metrics(profile):
    assert registry.names(profile) == ("ems", "pixel", "ssim", "lpips", "cis")
    assert registry.available(profile) == ("ems", "pixel", "ssim")


def test_one_name_is_one_metric_in_a_profile():
    claims = [(metric.name, profile) for metric in registry.METRICS for profile in metric.profiles]
    assert len(claims) == len(set(claims))


@pytest.mark.parametrize("metric", registry.METRICS, ids=lambda metric: type(metric).__name__)
def test_every_metric_says_what_its_values_mean(metric):
    assert metric.summary.endswith(".")
    assert metric.source
    assert metric.version
    assert metric.lower_bound < metric.upper_bound
    assert isinstance(metric.symmetric, bool)


def test_ems_is_bounded_in_paper_alone():
    assert registry.find("ems", Profile.PAPER).lower_bound == 0
    assert registry.find("ems", Profile.HELM).lower_bound == -math.inf


def test_nothing_wanted_means_what_is_available():
    assert registry.choose([], Profile.PAPER) == ("ems", "pixel", "ssim")


def test_the_order_wanted_is_kept():
    assert registry.choose(["ssim", "lpips", "ems"], Profile.HELM) == ("ssim", "lpips", "ems")


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (["emz"], "did you mean ems"),
        (["SSIM"], "did you mean ssim"),
        (["zzz"], "known: ems"),
        (["ems", "ems"], "twice"),
    ],
)
def test_wrong_names_are_refused_with_a_hint(wanted, says):
    with pytest.raises(UnknownMetricError, match=says):
        registry.choose(wanted, Profile.PAPER)
