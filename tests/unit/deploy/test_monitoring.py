"""Dashboard, alerts and scaling ask for series that the services have."""

from __future__ import annotations

import json
import re
from pathlib import Path

import promql_parser
import pytest
import yaml
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from i2s_chassis.errors import Refusal, Status
from i2s_chassis.server.telemetry import Telemetry
from i2s_gateway.measurements import Measurements

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"

#: Series of Prometheus itself, and labels that it adds to every series.
OF_PROMETHEUS = {"up": set(), "ALERTS": {"alertname", "alertstate", "severity"}}
ADDED = {"namespace", "pod", "service", "le"}


@pytest.fixture(scope="module")
def exported() -> dict[str, set[str]]:
    """Series that a service exports, with their labels; everything recorded once, so that all are there."""
    telemetry = Telemetry("any")
    telemetry.job("rendered", 0.1)
    telemetry.stage("compile", 0.1)
    telemetry.recycle("jobs")
    telemetry.policy_event("network")
    telemetry.self_test_failure("canary")
    telemetry.isolation("browser", on=True)
    telemetry.warm("format", 1)
    telemetry.queue_wait(0.1)
    telemetry.load(slots=1, running=0, queue=1, waiting=0)
    telemetry.call("Render", Status.OK)
    telemetry.item(Status.OK)
    telemetry.rerun()
    telemetry.refusal(Refusal.QUEUE)
    telemetry.serving(True)
    telemetry.cells(lambda: 0)
    return series_of(telemetry.registry)


@pytest.fixture(scope="module")
def of_gateway() -> dict[str, set[str]]:
    """Series that the gateway exports, with their labels."""
    measurements = Measurements()
    measurements.request_begins("/v1/render")
    measurements.request_ends("/v1/render", 200, 0.1)
    measurements.connections(lambda: 0, 1)
    measurements.bodies(lambda: 0, 1)
    measurements.answers(lambda: 0, 1)
    measurements.rewarded("latex", "valid")
    with measurements.wait("render-latex", "UNAVAILABLE"):
        return series_of(measurements.registry)


def series_of(registry) -> dict[str, set[str]]:
    """Names of series with their labels."""
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(generate_latest(registry).decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def selectors(query: str):
    """A query's selectors, each a name and its labels, and the labels that it groups by; the query parses."""
    plain = query.replace("$__rate_interval", "5m").replace("$namespace", "ns").replace("$service", "any")
    found, labels = [], set()

    def walk(node):
        match node:
            case promql_parser.VectorSelector():
                found.append((node.name, {matcher.name for matcher in node.matchers.matchers}))
            case promql_parser.MatrixSelector():
                walk(node.vector_selector)
            case promql_parser.BinaryExpr():
                walk(node.lhs)
                walk(node.rhs)
                if node.modifier and node.modifier.matching:
                    labels.update(node.modifier.matching.labels)
            case promql_parser.Call():
                for argument in node.args:
                    walk(argument)
            case promql_parser.AggregateExpr():
                labels.update(node.modifier.labels if node.modifier else ())
                walk(node.expr)
            case promql_parser.ParenExpr():
                walk(node.expr)
            case promql_parser.NumberLiteral():
                pass
            case _:
                raise AssertionError(f"{type(node)} in {query}")

    walk(promql_parser.parse(plain))
    return found, labels


def dashboard(rendered):
    return json.loads(rendered.of("ConfigMap")["image2struct-dashboard"]["data"]["image2struct.json"])


def alerts(rendered):
    (group,) = rendered.of("PrometheusRule")["image2struct"]["spec"]["groups"]
    return group["rules"]


@pytest.fixture
def queries(render):
    panels = dashboard(render("monitoring"))["panels"]
    scaled = render("keda").of("ScaledObject").values()
    return [
        *(target["expr"] for panel in panels for target in panel.get("targets", ())),
        *(rule["expr"] for rule in alerts(render("monitoring"))),
        *(trigger["metadata"]["query"] for one in scaled for trigger in one["spec"]["triggers"]),
    ]


@pytest.mark.slow
def test_every_series_that_is_asked_for_exists_with_its_labels(queries, exported, of_gateway):
    known = {**of_gateway, **exported, **OF_PROMETHEUS}
    assert len(queries) > 20
    for query in queries:
        found, grouped = selectors(query)
        assert found
        for name, labels in found:
            assert name in known, query
            assert labels <= known[name] | ADDED, query
        assert grouped <= set.union(*(known[name] for name, _ in found)) | ADDED, query


def test_every_series_of_ours_is_shown_or_watched(queries, exported, of_gateway):
    asked = {name for query in queries for name, _ in selectors(query)[0]}
    names = {*exported, *of_gateway}
    families = {re.sub(r"_(bucket|sum|count|total|created)$", "", name) for name in names}
    shown = {re.sub(r"_(bucket|sum|count|total)$", "", name) for name in asked}
    assert {family for family in families if family.startswith("i2s_")} - shown == {"i2s_queue"}


def scaled_by(rendered):
    """Names of the series that autoscalers ask for."""
    return {
        metric["pods"]["metric"]["name"]
        for one in rendered.of("HorizontalPodAutoscaler").values()
        for metric in one["spec"]["metrics"]
        if metric["type"] == "Pods"
    }


def test_the_rules_for_prometheus_adapter_give_the_autoscalers_their_metrics(render, exported, of_gateway):
    values = yaml.safe_load((ROOT / "deploy/kubernetes/prometheus-adapter.yaml").read_text(encoding="utf-8"))
    rules = values["rules"]["custom"]
    assert {rule["name"]["as"] for rule in rules} == scaled_by(render("gateway"))
    for rule in rules:
        (series, labels), *others = selectors(rule["seriesQuery"])[0]
        assert not others
        assert series == rule["name"]["as"]
        assert series in {**exported, **of_gateway}
        assert labels == set(rule["resources"]["overrides"]) == {"namespace", "pod"}
        query = rule["metricsQuery"]
        parts = (("Series", series), ("LabelMatchers", 'namespace="a",pod=~"b|c"'), ("GroupBy", "pod"))
        for name, text in parts:
            query = query.replace(f"<<.{name}>>", text)
        (selector,), grouped = selectors(query)
        assert selector == (series, {"namespace", "pod"})
        assert grouped == {"pod"}


def test_verdicts_statuses_and_reasons_are_real(queries):
    from i2s.render.v1 import render_pb2 as pb

    verdicts = {name.removeprefix("VERDICT_").lower() for name in pb.Verdict.keys()}  # noqa: SIM118
    real = {
        "verdict": verdicts | {"scored"},
        "status": {status.name for status in Status},
        "reason": {"jobs", "died", "failed", "cancelled", *Refusal},
    }
    for query in queries:
        if "i2s_gateway_" in query:  # their statuses are those of HTTP
            continue
        for label, values in re.findall(r'(verdict|status|reason)(?:=~|!=|=)"([^"]*)"', query):
            assert set(values.split("|")) <= real[label], query


def test_the_first_row_says_what_an_operator_asks_first(render):
    panels = dashboard(render("monitoring"))["panels"]
    assert panels[0]["type"] == "row"
    second = next(at for at, panel in enumerate(panels[1:], start=1) if panel["type"] == "row")
    first = panels[1:second]
    assert max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in first) <= 12  # without scrolling
    asked = {
        name for panel in first for target in panel["targets"] for name, _ in selectors(target["expr"])[0]
    }
    assert asked == {
        "i2s_serving",
        "ALERTS",
        "i2s_calls_total",
        "i2s_stream_items_total",
        "i2s_queue_wait_seconds_bucket",
        "i2s_memory_bytes",
        "i2s_memory_limit_bytes",
        "i2s_cpu_seconds_total",
        "i2s_cpu_limit",
    }
    faults = next(panel for panel in first if panel["title"] == "Our own faults")
    assert 'status=~"UNAVAILABLE|ABORTED|INTERNAL|UNKNOWN"' in faults["targets"][0]["expr"]


def test_the_monitor_finds_the_port_and_keeps_our_label(render):
    rendered = render("gateway-monitoring")
    monitor = rendered.of("ServiceMonitor")["image2struct"]["spec"]
    (endpoint,) = monitor["endpoints"]
    assert endpoint["honorLabels"] is True
    for service in rendered.of("Service").values():
        assert monitor["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
        assert endpoint["port"] in {port["name"] for port in service["spec"]["ports"]}


def test_panels_have_ids_places_and_sources_of_their_own(render):
    panels = dashboard(render("monitoring"))["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}
    assert len(places) == len(panels)
    shown = [panel for panel in panels if panel["type"] != "row"]
    assert all(panel["datasource"]["uid"] == "${datasource}" for panel in shown)
    assert all(panel["description"] for panel in shown if panel["type"] != "timeseries")


def test_no_panel_lies_over_another(render):
    taken = set()
    for panel in dashboard(render("monitoring"))["panels"]:
        place = panel["gridPos"]
        across = range(place["x"], place["x"] + place["w"])
        cells = {(x, y) for x in across for y in range(place["y"], place["y"] + place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not taken & cells, panel["title"]
        taken |= cells


def test_every_alert_leads_to_what_to_do(render):
    headings = {
        re.sub(r"[^\w -]", "", line.lstrip("# ").strip().lower()).replace(" ", "-")
        for line in (DOCS / "monitoring.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("#")
    }
    for rule in alerts(render("monitoring")):
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert page == "docs/monitoring.md"
        assert anchor in headings, rule["alert"]
        assert rule["annotations"]["summary"]
        assert rule["labels"]["severity"] in {"info", "warning", "critical"}
