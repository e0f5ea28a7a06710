"""A canary has much wall time, and one that is not rendered ends the start in one line."""

from dataclasses import replace

import pytest

from i2s_chassis.errors import EngineError, StartError, UnavailableError
from i2s_chassis.jail import CellError, JailError
from i2s_chassis.jail.errors import CellLostError, StarvedError
from i2s_chassis.limits import Limits, LimitTable
from i2s_chassis.renderer.start_checks import canary_limits, canary_required
from i2s_chassis.server.telemetry import Telemetry


@pytest.fixture
def telemetry():
    return Telemetry("render-latex")


def failures(telemetry):
    labels = {"service": "render-latex", "test": "canary"}
    return telemetry.registry.get_sample_value("i2s_self_test_failures_total", labels) or 0


def test_an_error_of_the_engine_ends_the_start_in_its_words(telemetry):
    with pytest.raises(StartError, match="TeX ended without a log"), canary_required(telemetry):
        raise EngineError("TeX ended without a log")
    assert failures(telemetry) == 1


@pytest.mark.parametrize("error", [JailError, CellError, CellLostError, StarvedError, UnavailableError])
def test_a_sandbox_that_is_lost_or_starved_ends_the_start_in_one_line(telemetry, error):
    with pytest.raises(StartError, match=r"^gone$"), canary_required(telemetry):
        raise error("gone")
    assert failures(telemetry) == 1


def test_a_mistake_in_the_code_keeps_its_traceback(telemetry):
    with pytest.raises(ZeroDivisionError), canary_required(telemetry):
        raise ZeroDivisionError
    assert failures(telemetry) == 0


def test_a_start_that_is_given_up_for_another_reason_is_not_counted(telemetry):
    with pytest.raises(StartError, match="use another"), canary_required(telemetry):
        raise StartError("use another")
    assert failures(telemetry) == 0


def test_a_canary_has_the_wall_time_of_the_longest_job_and_all_other_limits_of_a_job():
    default = Limits(cpu_seconds=7, wall_seconds=20, memory_bytes=2**28, processes=9)
    maximum = Limits(cpu_seconds=50, wall_seconds=200, memory_bytes=2**30)
    assert canary_limits(LimitTable(default, maximum)) == replace(default, wall_seconds=200)
