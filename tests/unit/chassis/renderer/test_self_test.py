"""A canary that is not rendered ends the start in one line, and is counted."""

import pytest

from i2s_chassis.errors import StartError
from i2s_chassis.renderer.errors import EngineError
from i2s_chassis.renderer.self_test import canary_required
from i2s_chassis.telemetry import Telemetry


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


def test_other_errors_count_where_they_are_named(telemetry):
    with pytest.raises(StartError, match="gone"), canary_required(telemetry, ConnectionError):
        raise ConnectionError("gone")
    with pytest.raises(ConnectionError), canary_required(telemetry):
        raise ConnectionError("gone")
    assert failures(telemetry) == 1


def test_a_start_that_is_given_up_for_another_reason_is_not_counted(telemetry):
    with pytest.raises(StartError, match="use another"), canary_required(telemetry):
        raise StartError("use another")
    assert failures(telemetry) == 0
