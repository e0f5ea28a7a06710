"""What is said of a run that the jail ended."""

import pytest

from i2s_chassis.jail import Cause
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import Verdict
from i2s_chassis.renderer.verdict import limit_passed


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
