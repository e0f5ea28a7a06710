"""What is said of a run that the jail ended."""

import pytest

from i2s_chassis.jail import Cause
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import RawRendering
from i2s_chassis.renderer.verdict import limit_passed, too_many_pixels, within_limits
from i2s_wire.render.rendering import Picture, Verdict
from i2s_wire.render.source_error import SourceError


@pytest.mark.parametrize(
    ("cause", "verdict"),
    [
        (Cause.CPU_LIMIT, Verdict.TIME_LIMIT),
        (Cause.WALL_LIMIT, Verdict.TIME_LIMIT),
        (Cause.MEMORY_LIMIT, Verdict.MEMORY_LIMIT),
        (Cause.PROCESS_LIMIT, Verdict.PROCESS_LIMIT),
        (Cause.DISK_LIMIT, Verdict.OUTPUT_LIMIT),
        (Cause.SIGNALED, Verdict.CRASHED),
    ],
)
def test_every_end_by_the_jail_is_a_verdict(cause, verdict):
    judgement = limit_passed(cause, Limits(), "compiling", program="TeX")
    assert judgement is not None
    assert judgement.verdict is verdict
    assert "compiling" in judgement.message


@pytest.mark.parametrize("cause", [Cause.EXITED, Cause.STOPPED])
def test_an_end_that_was_wanted_is_none(cause):
    assert limit_passed(cause, Limits(), "compiling") is None


def test_the_limit_is_named():
    judgement = limit_passed(Cause.CPU_LIMIT, Limits(cpu_seconds=2.5), "compiling")
    assert judgement is not None
    assert judgement.message == "The limit of 2.5 CPU seconds was reached while compiling."


def test_a_picture_is_measured_before_it_is_made():
    assert too_many_pixels((10, 10), Limits(pixels=100)) is None
    judgement = too_many_pixels((10, 11), Limits(pixels=100), "Page 3")
    assert judgement is not None
    assert judgement.verdict is Verdict.PIXEL_LIMIT
    assert judgement.message == "Page 3 would have 10 x 11 pixels, more than the limit of 100."


def rendering(*pictures):
    return RawRendering(Verdict.RENDERED_WITH_ERRORS, "m", pictures, len(pictures), SourceError("e"))


def test_pictures_within_the_limits_pass():
    made = rendering(Picture(bytes(100), 10, 10), Picture(bytes(99), 1, 100, 2))
    assert within_limits(made, Limits(pixels=100, picture_bytes=100)) is made


@pytest.mark.parametrize(
    ("limits", "verdict"),
    [
        (Limits(pixels=99, picture_bytes=100), Verdict.PIXEL_LIMIT),
        (Limits(pixels=100, picture_bytes=99), Verdict.OUTPUT_LIMIT),
    ],
)
def test_one_picture_that_is_too_large_leaves_none(limits, verdict):
    bounded = within_limits(rendering(Picture(b"", 1, 1), Picture(bytes(100), 10, 10, 2)), limits)
    assert (bounded.verdict, bounded.pictures, bounded.error, bounded.total_pages) == (verdict, (), None, 2)
    assert "more than the limit of 99" in bounded.message
