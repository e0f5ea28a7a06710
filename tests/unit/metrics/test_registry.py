import math

import pytest

from i2s_metrics import registry
from i2s_metrics.errors import UnknownMetricError
from i2s_metrics.model import Network
from i2s_wire.metrics.profile import Profile

NOTHING = dict.fromkeys(Network, "needs weights")


@pytest.mark.parametrize("profile", Profile)
def test_both_profiles_have_the_five_metrics_and_paper_has_three_of_its_own(profile):
    exact = ("exact",) if profile is Profile.PAPER else ()
    scaled = ("ems_scaled", "ssim_scaled") if profile is Profile.PAPER else ()
    assert registry.names(profile) == ("ems", "pixel", *exact, "ssim", "lpips", "cis", *scaled)
    assert registry.available(profile, {}) == registry.names(profile)


@pytest.mark.parametrize("profile", Profile)
def test_without_networks_their_metrics_are_not_available(profile):
    without = tuple(name for name in registry.names(profile) if name not in ("lpips", "cis"))
    assert registry.available(profile, NOTHING) == without
    assert {*registry.available(profile, {Network.INCEPTION: "x"})} == {*without, "lpips"}


def test_the_reason_against_a_metric_begins_with_its_name():
    assert registry.reason_against(registry.find("cis", Profile.PAPER), NOTHING) == "cis needs weights"
    assert registry.reason_against(registry.find("ems", Profile.PAPER), NOTHING) == ""


def test_lpips_is_bounded_below_by_its_linear_weights():
    torch = pytest.importorskip("torch", reason="the networks are an extra: i2s-metrics[networks]")
    from i2s_metrics.networks.files import heads_file

    heads = torch.load(heads_file(), weights_only=True, map_location="cpu").values()
    assert min(float(head.min()) for head in heads) >= 0
    greatest = sum(float(head.flatten().topk(2).values.sum()) for head in heads)
    bound = registry.find("lpips", Profile.PAPER).lower_bound
    assert bound == pytest.approx(1 - greatest, abs=1e-3)
    assert bound <= 1 - greatest


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
    available = ("ems", "pixel", "exact", "ssim", "ems_scaled", "ssim_scaled")
    assert registry.choose([], Profile.PAPER, NOTHING) == available


def test_the_order_wanted_is_kept():
    assert registry.choose(["ssim", "lpips", "ems"], Profile.HELM, NOTHING) == ("ssim", "lpips", "ems")


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
        registry.choose(wanted, Profile.PAPER, {})
