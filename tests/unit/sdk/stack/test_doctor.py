"""The doctor tells its findings as they come, and lists the optional parts of an engine that are missing."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from i2s.render.v1 import render_pb2 as pb
from i2s_client.service_table import SERVICES
from i2s_sdk.errors import PluginError, ServiceStartError
from i2s_sdk.settings import Settings
from i2s_sdk.stack import doctor as doctor_module
from i2s_sdk.stack.doctor import doctor, parts_missing
from i2s_sdk.stack.services import Services
from i2s_wire.codec import decode
from i2s_wire.render.description import RendererDescription


def test_an_engine_with_all_parts_has_nothing_missing():
    assert parts_missing(decode(pb.DescribeResponse(service="render-html"), RendererDescription)) == ""


def test_missing_parts_are_listed_with_their_packages():
    answer = pb.DescribeResponse(missing=["minima (Debian: jekyll-theme-minima)", "jekyll-feed (Debian: x)"])
    listed = parts_missing(decode(answer, RendererDescription))
    assert listed == "not installed: minima (Debian: jekyll-theme-minima), jekyll-feed (Debian: x)"


@asynccontextmanager
async def refusing(told: list[str], names: Sequence[str]) -> AsyncIterator[Services]:
    """Say which services are started, which they cannot be."""
    told.append(f"start {names[0]}")
    raise ServiceStartError("it is refused")
    yield


def test_findings_are_told_as_they_come_and_those_that_cost_nothing_first(monkeypatch):
    told = []

    async def forbidden(services):
        return ()

    monkeypatch.setattr(doctor_module, "forbidden_here", forbidden)
    monkeypatch.setattr(
        doctor_module, "open_services", lambda settings, logs, needed, *optional: refusing(told, needed)
    )
    findings = doctor(settings=Settings(), on_finding=lambda finding: told.append(finding.name))
    assert [name for name in told if not name.startswith("start ")] == [finding.name for finding in findings]
    first = told.index("start render-latex")
    assert {"i2s-sdk", "examples", "host", *(service.name for service in SERVICES)} <= set(told[:first])
    assert told[first + 1] == "render-latex canary"


def test_the_doctor_looks_at_named_services_alone(monkeypatch):
    told = []
    monkeypatch.setattr(
        doctor_module, "open_services", lambda settings, logs, needed, *optional: refusing(told, needed)
    )
    findings = doctor(settings=Settings(documents="127.0.0.1:1"), services=["documents"])
    assert told == ["start documents"]
    assert [finding.name for finding in findings] == ["i2s-sdk", "examples", "documents", "documents canary"]


def test_a_renderer_of_another_package_that_cannot_be_used_is_a_finding(monkeypatch):
    def unusable(name):
        raise PluginError("i2s.renderers", name, "dots", "it was never tested")

    monkeypatch.setattr(doctor_module, "packaged_renderers", lambda: ("render-dot",))
    monkeypatch.setattr(doctor_module, "service_row", unusable)
    findings = doctor(settings=Settings(), services=["render-dot"])
    assert [(finding.name, finding.state) for finding in findings if finding.name == "render-dot"] == [
        ("render-dot", "missing")
    ]
