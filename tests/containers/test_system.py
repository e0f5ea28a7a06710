"""The system in containers gives what the same services give as child processes."""

import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docker_engine import ROOT
from documents_service import pdf
from i2s_client.service_table import variable_name
from i2s_sdk import (
    AsyncDocumentsClient,
    RenderClient,
    RetryPolicy,
    render,
    render_html,
    render_latex,
    render_lilypond,
    render_python,
    score,
)
from i2s_wire.documents import Fragment, FragmentFormat
from i2s_wire.renderers import RENDERER_SPECS

EXAMPLES = ROOT / "examples"
NETWORKS = {"lpips", "cis"}  # what the image has with NETWORKS=cpu only
TIERS = {
    renderer_spec.name: "NAMESPACE" if renderer_spec.nesting else "LANDLOCK"
    for renderer_spec in RENDERER_SPECS
}


def instances(task):
    lines = (EXAMPLES / "instances.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["task"] == task]


def draw(task, row, settings):
    source = EXAMPLES / row["structure"]
    if task == "latex":
        return render_latex(source.read_text(encoding="utf-8"), settings=settings)
    if task == "music":
        return render_lilypond(source.read_text(encoding="utf-8"), settings=settings)
    return render_html(source, settings=settings)


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


@pytest.mark.parametrize("task", ["latex", "webpage", "music"])
def test_an_example_has_the_same_pixels_and_values_in_containers(system, local, task):
    row = instances(task)[0]
    here, there = draw(task, row, local), draw(task, row, system.settings)
    assert there.rendering.verdict is here.rendering.verdict
    assert there.rendering.verdict.has_picture
    assert np.array_equal(pixels(there.png), pixels(here.png))

    reference = EXAMPLES / row["image"]
    values = [score(reference, here.png, task=task, settings=at).values for at in (local, system.settings)]
    assert values[0]
    missing = set() if os.environ.get("NETWORKS") == "cpu" else NETWORKS
    assert set(values[1]) == set(values[0]) - missing
    for name, value in values[0].items():
        if name in missing:
            continue
        # Machine code for the same processor; networks may sum in another order.
        assert values[1][name] == pytest.approx(value, abs=1e-5 if name in ("lpips", "cis") else 1e-12), name


@pytest.mark.parametrize("service", TIERS)
def test_the_tier_is_the_one_that_the_seccomp_profile_permits(system, service):
    with RenderClient(f"127.0.0.1:{system.ports[service]}", retry=RetryPolicy(total_seconds=240)) as renderer:
        assert renderer.describe().isolation.tier.name == TIERS[service]


async def test_the_documents_service_converts_and_draws_in_its_tier(system):
    async with AsyncDocumentsClient(
        f"127.0.0.1:{system.ports['documents']}", retry=RetryPolicy(total_seconds=240)
    ) as client:
        assert (await client.describe()).isolation.tier.name == "LANDLOCK"
        (table,) = await client.convert([Fragment("1", FragmentFormat.MARKDOWN, "| a |\n|---|\n| b |\n")])
        assert "<td>b</td>" in table.html, table
        drawn = await client.draw_pages(pdf())
        assert (drawn.verdict.name, len(drawn.pages)) == ("RENDERED", 1), drawn


@pytest.mark.parametrize("name", ["line", "scatter-color-map", "surface-and-network"])
def test_a_chart_has_the_same_pixels_in_containers(system, local, name):
    program = (EXAMPLES / "charts/programs" / f"{name}.py").read_text(encoding="utf-8")
    here, there = (render_python(program, settings=at) for at in (local, system.settings))
    assert there.rendering.verdict.name == "RENDERED", there.rendering.message
    assert np.array_equal(pixels(there.png), pixels(here.png))
    assert there.rendering.isolation.tier.name == TIERS["render-python"]


GENERIC = {
    "svg": (EXAMPLES / "svg/structures/text-poster.svg").read_text(encoding="utf-8"),
    "typst": "= Heading\n\nText, and $integral_0^1 x^2 dif x = 1/3$.\n",
}


@pytest.mark.parametrize("language", GENERIC)
def test_a_generic_source_has_the_same_pixels_in_containers(system, local, language):
    here, there = (render(language, GENERIC[language], settings=at) for at in (local, system.settings))
    assert there.rendering.verdict.name == "RENDERED", there.rendering.message
    assert np.array_equal(pixels(there.png), pixels(here.png))


@pytest.mark.parametrize(
    "service",
    [*(renderer_spec.name for renderer_spec in RENDERER_SPECS if not renderer_spec.nesting), "documents"],
)
def test_our_profile_gives_the_namespace_tier_to_the_others_too(engine, images, service):
    profile = ROOT / "deploy/seccomp/i2s-namespace.json"
    variable = variable_name(service)
    container = engine.docker(
        "run", "--detach", "--init", "--read-only", "--network", "none", "--cap-drop", "ALL",
        "--security-opt", "no-new-privileges", "--security-opt", f"seccomp={profile}",
        "--tmpfs", "/tmp:mode=1777", "--env", f"{variable}_INSECURE=true",
        "--env", f"{variable}_JAIL_TIER=namespace",
        "--env", f"{variable}_LIMIT_WALL_SECONDS=200", images[service],
    ).strip()  # fmt: skip
    try:
        engine.docker(
            "exec", container, "python", "-I", "/opt/i2s/health.py", "127.0.0.1:8081", "200", seconds=240
        )
    finally:
        print(engine.docker("logs", container, check=False)[-2000:])
        engine.docker("rm", "--force", container)


def test_the_health_check_of_every_container_passes(system):
    for service in system.ports:
        engine = system.engine
        engine.docker(
            "exec", system.container(service), "python", "-I", "/opt/i2s/health.py", "127.0.0.1:8081", "60"
        )


def test_the_command_evaluates_beside_the_services(system, tmp_path):
    system.compose("run", "--rm", "-T", "sdk", "evaluate", "--limit", "2", "--out", "/runs/two", "--json")
    container = f"{system.project}-copy"
    volume = f"{system.project}_runs"
    system.engine.docker("create", "--name", container, "--volume", f"{volume}:/runs", "i2s-sdk:latest")
    try:
        system.engine.docker("cp", f"{container}:/runs/two", str(tmp_path))
    finally:
        system.engine.docker("rm", container)
    assert (Path(tmp_path) / "two/index.html").is_file()
