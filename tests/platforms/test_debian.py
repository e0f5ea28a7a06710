"""The README's first command on Debian 12 and 13: it installs what it needs, and all scores are 1."""

import json

import pytest
from PIL import Image, ImageChops

from i2s_render_html.jekyll.github_pages import PLUGINS

NEW_SITE = {
    "_config.yml": f"title: New\ntheme: minima\nplugins: [{', '.join(PLUGINS)}]\n",
    "index.md": "---\nlayout: home\n---\n",
    "_posts/2024-01-01-hello.md": "---\nlayout: post\ntitle: Hello\n---\nHello\n",
}


def test_make_evaluate_succeeds_from_nothing(evaluated):
    assert evaluated.code == 0, evaluated.said[-6000:]
    assert "Installing system packages through apt" in evaluated.said


@pytest.mark.parametrize("task", ["latex", "webpage", "music"])
def test_the_ground_truth_scores_one_in_every_metric(evaluated, task):
    """Values agree as tables show them: the references come from a plain browser, which shades otherwise."""
    results = json.loads((evaluated.run_of("oracle") / "results.json").read_text())
    total = results["tasks"][task]["total"]
    assert total["scored"] == total["planned"] > 0
    values = {name: metric["all"]["value"] for name, metric in total["metrics"].items()}
    assert {"ems", "pixel", "ssim"} <= set(values)
    assert {f"{value:.3f}" for value in values.values()} == {"1.000"}, values
    assert values["pixel"] == 1.0


def test_the_new_site_of_jekyll_is_built_with_its_theme_and_every_plugin(evaluated):
    site = evaluated.root.checkout / "new-site"
    for name, content in NEW_SITE.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    answer = evaluated.json("render", "html", "new-site", "-o", "new-site.png")
    assert answer["verdict"] == "RENDERED", answer
    assert (answer["site"]["jekyll"], answer["site"]["warnings"]) == (True, [])


def test_the_doctor_misses_no_part_of_an_engine(evaluated):
    findings = evaluated.json("doctor")["findings"]
    assert [
        finding for finding in findings if finding["name"].endswith(" parts") or finding["state"] == "bad"
    ] == []


def test_pages_have_the_same_pixels_as_on_this_machine(evaluated, drawn_here):
    there = _pages(evaluated.run_of("oracle"))
    here = _pages(drawn_here)
    assert there
    assert set(there) == set(here)
    assert [name for name in here if _differ(here[name], there[name])] == []


def _pages(run):
    """The image of each page of a run."""
    pages = [line for line in _lines(run / "records.jsonl") if line["task"] == "webpage"]
    digests = {page["id"]: page["rendering_sha256"] for page in pages}
    return {name: run / "pictures" / digest[:2] / f"{digest}.png" for name, digest in digests.items()}


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def _differ(one, other):
    with Image.open(one) as left, Image.open(other) as right:
        if left.size != right.size:
            return True
        return ImageChops.difference(left.convert("RGB"), right.convert("RGB")).getbbox() is not None
