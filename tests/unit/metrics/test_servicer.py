import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError, NotFoundError
from i2s_metrics.model import Network
from i2s_metrics.servicer import SentImages, job_from_wire, sha256
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy


def test_pictures_are_found_by_their_digest():
    sent = SentImages(100)
    sent.add(b"abc")
    assert sent.find(hashlib.sha256(b"abc").hexdigest()) == b"abc"
    assert sent.find(sha256(b"other")) is None


def test_pictures_in_use_stay_and_others_go():
    sent = SentImages(9)
    for data in (b"aaa", b"bbb", b"ccc"):
        sent.add(data)
    sent.find(sha256(b"aaa"))
    sent.add(b"ddd")
    assert sent.find(sha256(b"bbb")) is None
    assert all(sent.find(sha256(data)) == data for data in (b"aaa", b"ccc", b"ddd"))


def test_a_picture_larger_than_everything_allowed_drives_nothing_out():
    sent = SentImages(5)
    sent.add(b"abc")
    sent.add(b"abcdef")
    assert sent.find(sha256(b"abc")) == b"abc"
    assert sent.find(sha256(b"abcdef")) is None


@given(st.lists(st.binary(max_size=12), max_size=40))
def test_what_is_found_never_exceeds_what_is_allowed(pictures):
    sent = SentImages(30)
    for data in pictures:
        sent.add(data)
    assert sum(len(data) for data in set(pictures) if sent.find(sha256(data)) is not None) <= 30


REFERENCE, PREDICTION = pb.Image(data=b"reference"), pb.Image(data=b"prediction")

MISSING = dict.fromkeys(Network, "needs weights")


def request(**fields):
    return pb.ScoreRequest(**{"id": "1", "reference": REFERENCE, "prediction": PREDICTION, **fields})


def test_absent_options_mean_pad_paper_and_all_that_is_available():
    job = job_from_wire(request(), 100, MISSING)
    assert (job.policy, job.profile) == (SizePolicy.PAD, Profile.PAPER)
    assert job.metrics == ("ems", "pixel", "exact", "ssim", "ems_scaled", "ssim_scaled")
    assert (job.reference, job.prediction) == (b"reference", b"prediction")


def test_options_are_taken_over():
    job = job_from_wire(request(profile=2, size_policy=2, metrics=["cis"]), 100, MISSING)
    assert (job.policy, job.profile, job.metrics) == (SizePolicy.RESIZE, Profile.HELM, ("cis",))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"id": "x" * 257}, "id"),
        ({"reference": None}, "reference.data"),
        ({"prediction": pb.Image(data=b"")}, "prediction.data"),
        ({"prediction": pb.Image(data=b"x" * 101)}, "prediction.data"),
        ({"reference": pb.Image(sha256=sha256(b"x"))}, "reference.sha256"),
        ({"profile": 3}, "profile"),
        ({"size_policy": 9}, "size_policy"),
        ({"metrics": ["emz"]}, "metrics"),
        ({"metrics": ["ems", "ems"]}, "metrics"),
    ],
)
def test_faults_name_their_field(fields, field):
    with pytest.raises(InvalidArgumentError) as caught:
        job_from_wire(request(**fields), 100, MISSING)
    assert caught.value.field == field


def test_a_stream_remembers_what_it_was_sent():
    sent = SentImages(100)
    job_from_wire(request(), 100, MISSING, sent)
    named = request(reference=pb.Image(sha256=sha256(b"reference")), prediction=pb.Image(data=b"other"))
    assert job_from_wire(named, 100, MISSING, sent).reference == b"reference"


def test_a_request_may_name_the_reference_that_it_sends_as_its_prediction():
    itself = request(prediction=pb.Image(sha256=sha256(b"reference")))
    assert job_from_wire(itself, 100, MISSING, SentImages(100)).prediction == b"reference"


def test_pictures_of_a_request_that_fails_are_remembered():
    sent = SentImages(100)
    with pytest.raises(InvalidArgumentError):
        job_from_wire(request(metrics=["emz"]), 100, MISSING, sent)
    assert sent.find(sha256(b"prediction"))


def test_a_digest_that_the_stream_does_not_hold_is_not_found():
    with pytest.raises(NotFoundError, match=sha256(b"x")):
        job_from_wire(request(reference=pb.Image(sha256=sha256(b"x"))), 100, MISSING, SentImages(100))


@pytest.mark.parametrize("digest", ["", "x", sha256(b"x").upper(), sha256(b"x") + "\n"])
def test_what_is_no_digest_is_refused(digest):
    with pytest.raises(InvalidArgumentError):
        job_from_wire(request(reference=pb.Image(sha256=digest)), 100, MISSING, SentImages(100))


def test_items_of_a_stream_need_an_id():
    with pytest.raises(InvalidArgumentError) as caught:
        job_from_wire(request(id=""), 100, MISSING, SentImages(100))
    assert caught.value.field == "id"
