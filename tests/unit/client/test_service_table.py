"""Which renderer is for a source: by its type, or by its language."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from i2s_client import plugins, service_table
from i2s_client.errors import PluginError, UsageError
from i2s_client.service_table import (
    SERVICES,
    packaged_renderers,
    renderer_of,
    service_names,
    service_row,
    variable_name,
)
from i2s_wire.render.request import GenericSource, LatexSource, PythonSource
from i2s_wire.renderer import RendererSpec
from i2s_wire.renderers import RENDERER_SPECS

DOT = RendererSpec(
    name="render-dot",
    title="Graphviz renderer",
    languages=("dot", "gv"),
    suffixes=(".dot",),
    port=7791,
    canary=GenericSource("dot", "a.dot", {"a.dot": b"graph { a }"}),
)
PILLOW = RendererSpec(
    name="render-pillow",
    title="Pillow renderer",
    languages=("pillow",),
    suffixes=(".py",),
    port=7790,
    canary=PythonSource(b""),
)
OTHER = "no description"
ROTTEN = ("render.dot", "render-Dot", "profile", "token")


@pytest.fixture(autouse=True)
def _packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packages with renderers, and one whose entry point names something else."""
    group = plugins.PluginGroup.RENDERERS
    names = {"render-dot": "DOT", "render-pillow": "PILLOW", "render-other": "OTHER"}
    names |= dict.fromkeys(ROTTEN, "DOT")
    found = {name: EntryPoint(name, f"{__name__}:{value}", group) for name, value in names.items()}
    monkeypatch.setattr(service_table, "plugins_beside", lambda group, own: found)


def _source(language: str) -> GenericSource:
    return GenericSource(language, "a", {"a": b"x"})


@pytest.mark.parametrize("spec", RENDERER_SPECS, ids=lambda one: one.name)
def test_every_renderer_renders_its_canary(spec: RendererSpec) -> None:
    assert renderer_of(spec.canary) == spec.name


def test_the_language_of_a_generic_source_decides_who_renders_it() -> None:
    assert renderer_of(_source("dot")) == renderer_of(_source("gv")) == "render-dot"
    with pytest.raises(UsageError, match=r"in 'tikz'; there are: .*dot, gv"):
        renderer_of(_source("tikz"))
    with pytest.raises(UsageError, match="nothing renders generic sources in 'latex'"):
        renderer_of(_source("latex"))


def test_a_renderer_that_a_task_names_precedes_that_of_this_project() -> None:
    source = PythonSource(b"x")
    assert renderer_of(source) == "render-python"
    assert renderer_of(source, ["render-latex", "render-pillow"]) == "render-pillow"
    assert renderer_of(LatexSource(b"x"), ["render-pillow"]) == "render-latex"


def test_a_renderer_of_another_package_has_a_row() -> None:
    row = service_row("render-dot")
    assert (row.port, row.flag, row.setting) == (7791, "--render-dot-at", "render_dot")
    assert variable_name(row.name) == "I2S_RENDER_DOT"
    assert row.renderer is not None
    assert (row.renderer.command, row.renderer.requirement) == ("i2s-render-dot", "i2s-render-dot")
    with pytest.raises(PluginError, match="is no RendererSpec of this name"):
        service_row("render-other")
    with pytest.raises(PluginError, match="no installed package"):
        service_row("render-nothing")


def test_a_name_that_no_renderer_can_have_is_left_out_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    plugins.forget_plugins()
    assert packaged_renderers() == ("render-dot", "render-pillow", "render-other")
    assert service_names()[-3:] == packaged_renderers()
    for name in ROTTEN:
        (warning,) = [message for message in caplog.messages if repr(name) in message]
        assert "the name is not render-NAME" in warning
        with pytest.raises(PluginError, match="no installed package"):
            service_row(name)


def test_a_renderer_that_is_not_installed_renders_the_generic_sources_of_its_task() -> None:
    task = ["render-latex", "render-svg", "render-dot", "render-away"]
    assert renderer_of(_source("tikz"), task) == "render-away"
    assert [renderer_of(_source(language), task) for language in ("dot", "svg")] == [
        "render-dot",
        "render-svg",
    ]
    assert renderer_of(LatexSource(b"x"), task) == "render-latex"
    with pytest.raises(PluginError, match=r"'render-away' .*no installed package"):
        renderer_of(PythonSource(b"x"), task)
    with pytest.raises(UsageError, match="packages of render-away, render-far are not installed"):
        renderer_of(_source("tikz"), [*task, "render-far"])


def test_no_two_services_share_a_port_or_a_user() -> None:
    assert len({service.port for service in SERVICES}) == len(SERVICES)
    assert (
        len({renderer_spec.user for renderer_spec in (*RENDERER_SPECS, DOT, PILLOW)})
        == len(RENDERER_SPECS) + 2
    )
