"""What the variables of OpenTelemetry do, each in a process of its own, which has one provider."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from recorded_spans import collecting

EXPORTS = """
import sys
from i2s_wire.tracing import Kind, exported_traces, span

with exported_traces("render-latex", "i2s-chassis", lambda line: print(line, file=sys.stderr)) as exports:
    print(exports)
    with span("Render", {"i2s.verdict": "rendered"}, kind=Kind.SERVER):
        pass
"""
#: A program in which the extra is not installed.
MISSING = "import sys; sys.modules['opentelemetry.sdk'] = None\n"


def run(program: str = EXPORTS, **variables: str) -> tuple[str, str]:
    """Run a program and return what it printed on standard output and on standard error."""
    done = subprocess.run(
        [sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=True
    )
    return done.stdout.strip(), done.stderr.strip()


def test_spans_reach_a_collector_with_the_name_of_the_service():
    with collecting() as collector:
        assert run(**collector.variables) == ("True", "")
        assert run(**collector.variables, OTEL_SERVICE_NAME="mine") == ("True", "")
        one, other = collector.wait_for(2, "Render")
    assert (one.service, other.service) == ("render-latex", "mine")
    assert one.attributes == {"i2s.verdict": "rendered"}


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"OTEL_TRACES_EXPORTER": ""},
        {"OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"},
    ],
)
def test_nothing_is_exported_or_loaded_unless_an_exporter_is_named(variables):
    assert run(MISSING + EXPORTS, **variables) == ("False", "")


def test_a_missing_extra_is_reported_and_keeps_nothing_from_working():
    printed, stderr = run(MISSING + EXPORTS, OTEL_TRACES_EXPORTER="otlp")
    assert printed == "False"
    assert "OTEL_TRACES_EXPORTER=otlp: traces are not exported: OpenTelemetry is not installed;" in stderr
    assert "i2s-protos[telemetry]" in stderr


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"OTEL_TRACES_EXPORTER": "otlb"}, "no installed package has an exporter 'otlb'"),
        (
            {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "carrier-pigeon"},
            "'carrier-pigeon' is no protocol of OTLP; there are grpc, http/protobuf",
        ),
    ],
)
def test_a_wrong_value_is_reported_and_keeps_nothing_from_working(variables, reason):
    printed, stderr = run(**variables)
    assert printed == "False"
    assert stderr.endswith(f"traces are not exported: {reason}")


def test_the_provider_of_an_application_stays_in_force():
    program = "from opentelemetry import trace; from opentelemetry.sdk.trace import TracerProvider\n"
    program += "trace.set_tracer_provider(TracerProvider())\n" + EXPORTS
    assert run(program, OTEL_TRACES_EXPORTER="otlp", OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9") == (
        "False",
        "",
    )


@pytest.mark.slow
def test_a_collector_that_is_not_there_delays_the_end_by_seconds_only():
    began = time.monotonic()
    printed, _ = run(OTEL_TRACES_EXPORTER="otlp", OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
    assert printed == "True"
    assert time.monotonic() - began < 30
