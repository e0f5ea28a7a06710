import numpy as np
import pytest
from PIL import Image

from i2s_metrics import registry, worker
from i2s_metrics.bounded_cache import BoundedCache
from i2s_metrics.images import decode
from i2s_metrics.model import ComparisonJob, Inputs, MetricValue, Network, NetworkComparison
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import MetricFailure, MetricFailureKind, SizePolicy

MANY = 1_000_000
MISSING = dict.fromkeys(Network, "needs weights")


@pytest.fixture
def page(encode):
    picture = Image.new("RGB", (90, 60), "white")
    picture.paste((10, 60, 200), (20, 10, 50, 40))
    return encode(picture)


def run(
    reference, prediction, metrics, profile=Profile.PAPER, memory=None, policy=SizePolicy.PAD, missing=MISSING
):
    job = ComparisonJob(reference, prediction, policy, profile, metrics)
    return worker.draft(job, memory or BoundedCache(10**7), MANY, missing)


def test_each_metric_has_one_outcome_in_the_order_asked_for(page):
    score = run(page, page, ("ssim", "lpips", "ems", "pixel"))
    assert [type(outcome) for outcome in score.outcomes] == [
        MetricValue,
        MetricFailure,
        MetricValue,
        MetricValue,
    ]
    assert [outcome.value for outcome in score.outcomes if isinstance(outcome, MetricValue)] == [1, 1, 1]
    assert (score.width, score.height) == (90, 60)
    assert score.cpu_seconds > 0


def test_ems_comes_with_its_parts(page, encode):
    (ems,) = run(page, encode(Image.new("RGB", (90, 60), "white")), ("ems",), Profile.HELM).outcomes
    assert ems.value == pytest.approx(1 - ems.parts["block_emd"] / ems.parts["denominator"])


@pytest.mark.parametrize("policy", SizePolicy)
def test_a_match_is_exact_if_pixel_is_1_at_equal_size(page, encode, policy):
    def exact(prediction):
        return [
            outcome.value for outcome in run(page, prediction, ("exact", "pixel"), policy=policy).outcomes
        ]

    picture = Image.new("RGB", (90, 60), "white")
    picture.paste((15, 55, 205), (20, 10, 50, 40))  # within the tolerance of 5 levels
    assert exact(page) == exact(encode(picture)) == [1, 1]
    picture.putpixel((0, 0), (249, 255, 255))
    assert exact(encode(picture)) == [0, pytest.approx(900 / 901)]
    wider = Image.new("RGB", (91, 60), "white")
    wider.paste((10, 60, 200), (20, 10, 50, 40))
    assert exact(encode(wider))[0] == 0, "whatever the policy makes of its size"


def test_white_that_a_policy_adds_is_no_exact_match(encode):
    small, large = (encode(Image.new("RGB", (side, 40), "white")) for side in (30, 40))
    for reference, prediction in ((small, large), (large, small)):
        exact, pixel = run(reference, prediction, ("exact", "pixel")).outcomes
        assert (exact.value, pixel.value) == (0, 1)


@pytest.mark.parametrize("name", ["ems", "ssim"])
@pytest.mark.parametrize("policy", SizePolicy)
def test_a_scaled_metric_is_the_metric_of_a_resized_prediction_whatever_the_policy(
    page, encode, name, policy
):
    small = Image.new("RGB", (45, 30), "white")
    small.paste((10, 60, 200), (10, 5, 25, 21))
    answer = encode(small)
    (resized,) = run(page, answer, (name,), policy=SizePolicy.RESIZE).outcomes
    plain, scaled = run(page, answer, (name, f"{name}_scaled"), policy=policy).outcomes
    assert scaled == resized
    assert (plain == scaled) is (policy is SizePolicy.RESIZE)


@pytest.mark.parametrize("policy", SizePolicy)
def test_images_of_one_size_are_compared_once(page, encode, policy, monkeypatch):
    image = Image.new("RGB", (90, 60), "white")
    image.paste((10, 60, 200), (24, 10, 54, 40))
    calls = []
    measured = registry.find("ems", Profile.PAPER).compute
    monkeypatch.setattr(
        registry.PaperEarthMoverSimilarity,
        "compute",
        lambda self, pair: calls.append(self.name) or measured(pair),
    )
    plain, scaled = run(page, encode(image), ("ems", "ems_scaled"), policy=policy).outcomes
    assert 0 < plain.value < 1
    assert (scaled, calls) == (plain, ["ems"])


def test_images_that_cannot_be_padded_can_be_scaled(encode):
    wide, high = (encode(Image.new("RGB", size, "blue")) for size in ((2000, 2), (2, 2000)))
    plain, scaled = run(wide, high, ("ems", "ems_scaled")).outcomes
    assert plain.kind is MetricFailureKind.BAD_IMAGE
    assert scaled.value == 1


@pytest.mark.parametrize("name", ["lpips", "cis"])
@pytest.mark.parametrize("profile", Profile)
def test_metrics_without_networks_are_unavailable_and_say_what_is_missing(page, name, profile):
    (outcome,) = run(page, page, (name,), profile).outcomes
    assert outcome.kind is MetricFailureKind.UNAVAILABLE
    assert "weights" in outcome.message


@pytest.mark.parametrize(
    ("name", "profile", "comparison"),
    [
        ("lpips", Profile.PAPER, NetworkComparison.LPIPS),
        ("cis", Profile.PAPER, NetworkComparison.POOL),
        ("cis", Profile.HELM, NetworkComparison.LOGITS),
    ],
)
def test_for_networks_a_draft_holds_both_pictures_in_their_size(page, encode, name, profile, comparison):
    other = encode(Image.new("RGB", (70, 40), (1, 2, 3)))
    (inputs,) = run(page, other, (name,), profile, policy=SizePolicy.RESIZE, missing={}).outcomes
    assert isinstance(inputs, Inputs)
    assert inputs.comparison is comparison
    assert inputs.prediction == bytes((1, 2, 3)) * comparison.side**2
    assert inputs.reference[:3] == b"\xff\xff\xff"


@pytest.mark.parametrize(("level", "is_compared"), [(127, False), (128, True)])
@pytest.mark.parametrize("which", ["reference", "prediction"])
def test_helm_records_zero_for_lpips_where_a_pixel_is_darker_than_mid_grey(encode, which, level, is_compared):
    pictures = dict.fromkeys(["reference", "prediction"], encode(Image.new("RGB", (9, 9), "white")))
    pictures[which] = encode(Image.new("RGB", (9, 9), (255, level, 255)))
    (outcome,) = run(**pictures, metrics=("lpips",), profile=Profile.HELM, missing={}).outcomes
    assert isinstance(outcome, Inputs) if is_compared else outcome == MetricValue(0.0)


def test_helm_without_weights_records_no_zero_for_lpips(page):
    (outcome,) = run(page, page, ("lpips",), Profile.HELM).outcomes
    assert outcome.kind is MetricFailureKind.UNAVAILABLE


TINY_AND_EXTREME = [(1, 1), (1, 2), (2, 1), (6, 6), (7, 7), (1, 3000), (3000, 1), (8, 2000)]


@pytest.mark.parametrize("size", TINY_AND_EXTREME, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("policy", SizePolicy)
@pytest.mark.slow
def test_tiny_and_extreme_shapes_have_values_or_reasons_in_paper(encode, size, policy):
    rng = np.random.default_rng(1)
    width, height = size
    reference = encode(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))
    prediction = encode(rng.integers(0, 256, (3, 5, 3), dtype=np.uint8))
    for pair in [(reference, prediction), (prediction, reference), (reference, reference)]:
        score = run(*pair, ("ems", "pixel", "ssim", "lpips", "cis"), policy=policy, missing={})
        ems, pixel, ssim, lpips, cis = score.outcomes
        assert 0 <= ems.value <= 1
        assert 0 <= pixel.value <= 1
        assert 0 <= ssim.value <= 1
        assert isinstance(lpips, Inputs)
        assert isinstance(cis, Inputs)
        if pair[0] is pair[1]:
            assert ems.value == pixel.value == ssim.value == 1
            assert lpips.prediction == lpips.reference
            assert cis.prediction == cis.reference


def test_ssim_of_small_pictures_is_defined_in_paper_and_zero_in_helm_for_every_answer(encode):
    small, other = (encode(Image.new("RGB", (90, 6), colour)) for colour in ("white", "black"))
    for prediction, value in ((small, 1), (other, pytest.approx(0.50005, abs=1e-5))):
        (paper,), (helm,) = (run(small, prediction, ("ssim",), profile).outcomes for profile in Profile)
        assert paper == MetricValue(value)
        assert helm == MetricValue(0.0)


def test_helm_records_zero_for_both_columns_of_an_extreme_shape(encode):
    wide = encode(Image.new("RGB", (2400, 16), "white"))
    (ems,) = run(wide, wide, ("ems",), Profile.HELM).outcomes
    assert ems == MetricValue(0.0, {"block_emd": 0.0})


@pytest.mark.parametrize("which", ["reference", "prediction"])
def test_a_picture_that_cannot_be_read_fails_every_metric(page, which):
    pictures = {"reference": page, "prediction": page, which: page[:100]}
    outcomes = run(**pictures, metrics=("ems", "lpips")).outcomes
    assert [outcome.kind for outcome in outcomes] == [MetricFailureKind.BAD_IMAGE] * 2
    assert all(outcome.message.startswith(f"{which}: ") for outcome in outcomes)


def test_a_pair_that_padding_would_blow_up_is_refused(encode):
    wide, high = encode(Image.new("RGB", (2000, 1))), encode(Image.new("RGB", (1, 2000)))
    (outcome,) = run(wide, high, ("ems",)).outcomes
    assert outcome.kind is MetricFailureKind.BAD_IMAGE
    assert "2000x2000" in outcome.message


@pytest.mark.slow
def test_memory_never_confuses_references_profiles_or_sizes(encode):
    rng = np.random.default_rng(0)
    sizes = [(20, 30), (20, 30), (27, 30)]
    pictures = [encode(rng.integers(0, 99, (*size, 3), dtype=np.uint8)) for size in sizes]
    shared = BoundedCache(10**7)
    for _ in range(2):
        for reference in pictures:
            for prediction in pictures:
                for profile in Profile:
                    for policy in SizePolicy:
                        job = (reference, prediction, ("ems", "ssim"), profile)
                        warm, cold = run(*job, shared, policy), run(*job, BoundedCache(0), policy)
                        assert warm.outcomes == cold.outcomes
    assert 0 < shared.nbytes <= 10**7


def test_arrays_kept_for_a_reference_are_not_changed_by_use(page, encode):
    memory = BoundedCache(10**7)
    other = encode(Image.new("RGB", (120, 90), "white"))
    first = run(page, page, ("ems", "pixel", "ssim"), memory=memory).outcomes
    run(page, other, ("ems", "pixel", "ssim"), memory=memory)
    assert run(page, page, ("ems", "pixel", "ssim"), memory=memory).outcomes == first


def test_each_picture_is_decoded_once_for_all_metrics_of_a_pair(page, encode, monkeypatch):
    decoded = []

    def counted(data, *bounds):
        decoded.append(data)
        return decode(data, *bounds)

    monkeypatch.setattr(worker, "decode", counted)
    other = encode(Image.new("RGB", (90, 60), "blue"))
    memory = BoundedCache(10**7)
    five = ("ems", "pixel", "ssim", "lpips", "cis")
    run(page, other, five, memory=memory, missing={})
    assert decoded == [page, other]
    run(page, other, five, memory=memory, missing={})
    assert decoded == [page, other, other], "pixels of a reference are kept for the next pair"
