from __future__ import annotations

from prometheus_client import generate_latest

from i2s_chassis.callers.shares import Flow, coming_from
from i2s_chassis.errors import Refusal, Status
from i2s_chassis.server.telemetry import ANONYMOUS, MAX_CALLERS, OTHERS, CallerLabels, Telemetry


def test_every_series_carries_the_service_and_its_label():
    telemetry = Telemetry("render-latex")
    telemetry.job("rendered", 0.3)
    telemetry.stage("compile", 0.1)
    telemetry.queue_wait(0.0)
    telemetry.recycle("jobs")
    telemetry.policy_event("network", 3)
    telemetry.self_test_failure("read_passwd")
    telemetry.warm("format", 2)
    telemetry.call("Render", Status.INVALID_ARGUMENT)
    telemetry.item(Status.OK)
    with coming_from(Flow("caller:lab")):
        telemetry.job("crashed", 0.1)
        telemetry.refusal(Refusal.QUOTA)
    telemetry.serving(True)
    telemetry.cells(lambda: 5)
    telemetry.load(slots=4, running=3, queue=9, waiting=1)
    text = generate_latest(telemetry.registry).decode()
    for series in (
        'i2s_job_seconds_bucket{le="0.35",service="render-latex",verdict="rendered"} 1.0',
        'i2s_jobs_total{caller="anonymous",service="render-latex",verdict="rendered"} 1.0',
        'i2s_jobs_total{caller="caller:lab",service="render-latex",verdict="crashed"} 1.0',
        'i2s_refusals_total{caller="caller:lab",reason="quota",service="render-latex"} 1.0',
        'i2s_serving{service="render-latex"} 1.0',
        'i2s_cells{service="render-latex"} 5.0',
        'i2s_memory_bytes{service="render-latex"} ',
        'i2s_cpu_seconds_total{service="render-latex"} ',
        'i2s_stage_seconds_sum{service="render-latex",stage="compile"} 0.1',
        'i2s_queue_wait_seconds_count{service="render-latex"} 1.0',
        'i2s_recycles_total{reason="jobs",service="render-latex"} 1.0',
        'i2s_policy_events_total{kind="network",service="render-latex"} 3.0',
        'i2s_self_test_failures_total{service="render-latex",test="read_passwd"} 1.0',
        'i2s_warm_workers{kind="format",service="render-latex"} 2.0',
        'i2s_calls_total{method="Render",service="render-latex",status="INVALID_ARGUMENT"} 1.0',
        'i2s_stream_items_total{service="render-latex",status="OK"} 1.0',
        'i2s_slots{service="render-latex"} 4.0',
        'i2s_slots_in_use{service="render-latex"} 3.0',
        'i2s_queue{service="render-latex"} 9.0',
        'i2s_queue_waiting{service="render-latex"} 1.0',
    ):
        assert series in text, series


def test_callers_make_a_bounded_number_of_series():
    telemetry = Telemetry("render-latex")
    for number in range(1000):
        with coming_from(Flow(f"cert:CN={number}")):
            telemetry.job("rendered", 0.1)
        with coming_from(Flow(f"peer:10.0.{number // 256}.{number % 256}")):
            telemetry.job("rendered", 0.1)
    lines = [
        line for line in generate_latest(telemetry.registry).decode().splitlines() if "jobs_total{" in line
    ]
    assert len(lines) == 102
    assert sum(float(line.rpartition(" ")[2]) for line in lines) == 2000
    assert 'i2s_jobs_total{caller="others",service="render-latex",verdict="rendered"} 900.0' in lines


def test_two_services_in_one_process_do_not_share_series():
    one, other = Telemetry("one"), Telemetry("other")
    one.recycle("jobs")
    assert b"i2s_recycles_total{" not in generate_latest(other.registry)


def test_names_and_certificates_are_labels_and_addresses_are_not():
    labels = CallerLabels()
    assert labels.label("caller:lab") == "caller:lab"
    assert labels.label("cert:CN=lab") == "cert:CN=lab"
    for stranger in ("", "peer:10.0.0.7", "peer:2001:db8::/64", "unix:/run/i2s.sock"):
        assert labels.label(stranger) == ANONYMOUS


def test_no_number_of_callers_makes_more_labels_than_the_bound():
    labels = CallerLabels()
    found = [labels.label(f"cert:CN={number}") for number in range(5 * MAX_CALLERS)]
    assert found[:MAX_CALLERS] == [f"cert:CN={number}" for number in range(MAX_CALLERS)]
    assert set(found[MAX_CALLERS:]) == {OTHERS}
    assert labels.label("cert:CN=0") == "cert:CN=0"
    assert labels.label("peer:10.0.0.7") == ANONYMOUS


def test_a_long_name_is_cut():
    assert CallerLabels().label("cert:" + "x" * 5000) == "cert:" + "x" * 123


def test_no_identity_looks_like_a_label_of_ours():
    labels = CallerLabels(most=2)
    assert labels.label("caller:anonymous") not in {ANONYMOUS, OTHERS}
    assert labels.label("caller:others") not in {ANONYMOUS, OTHERS}


def test_isolation_is_degraded_while_any_layer_is_off() -> None:
    telemetry = Telemetry("test")
    assert not telemetry.is_isolation_degraded
    telemetry.isolation("tier", on=True)
    telemetry.isolation("browser", on=False)
    assert telemetry.is_isolation_degraded
    values = {layer: _value(telemetry, layer) for layer in ("tier", "browser")}
    assert values == {"tier": 0.0, "browser": 1.0}
    telemetry.isolation("browser", on=True)
    assert not telemetry.is_isolation_degraded


def _value(telemetry: Telemetry, layer: str) -> float | None:
    labels = {"service": "test", "layer": layer}
    return telemetry.registry.get_sample_value("i2s_isolation_degraded", labels)
