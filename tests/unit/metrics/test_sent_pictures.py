import hashlib

from hypothesis import given
from hypothesis import strategies as st

from i2s_metrics.sent_pictures import SentPictures, sha256


def test_pictures_are_found_by_their_digest():
    sent = SentPictures(100)
    sent.add(b"abc")
    assert sent.find(hashlib.sha256(b"abc").hexdigest()) == b"abc"
    assert sent.find(sha256(b"other")) is None


def test_pictures_in_use_stay_and_others_go():
    sent = SentPictures(9)
    for data in (b"aaa", b"bbb", b"ccc"):
        sent.add(data)
    sent.find(sha256(b"aaa"))
    sent.add(b"ddd")
    assert sent.find(sha256(b"bbb")) is None
    assert all(sent.find(sha256(data)) == data for data in (b"aaa", b"ccc", b"ddd"))


def test_a_picture_larger_than_everything_allowed_drives_nothing_out():
    sent = SentPictures(5)
    sent.add(b"abc")
    sent.add(b"abcdef")
    assert sent.find(sha256(b"abc")) == b"abc"
    assert sent.find(sha256(b"abcdef")) is None


@given(st.lists(st.binary(max_size=12), max_size=40))
def test_what_is_found_never_exceeds_what_is_allowed(pictures):
    sent = SentPictures(30)
    for data in pictures:
        sent.add(data)
    assert sum(len(data) for data in set(pictures) if sent.find(sha256(data)) is not None) <= 30
