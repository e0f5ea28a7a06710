"""The words of renderers have the numbers of the wire."""

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.renderer import model


@pytest.mark.parametrize(
    ("ours", "theirs", "prefix"),
    [
        (model.Verdict, pb.Verdict, "VERDICT_"),
        (model.ErrorKind, pb.ErrorKind, "ERROR_KIND_"),
        (model.Crop, pb.Crop, "CROP_"),
        (model.BlankPage, pb.BlankPage, "BLANK_PAGE_"),
    ],
)
def test_words_have_the_numbers_of_the_wire(ours, theirs, prefix):
    assert {prefix + word.name: word.value for word in ours} == {
        name: number for name, number in theirs.items() if number
    }
