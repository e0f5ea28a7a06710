"""Answers whose files have ordinary names written in another way are rendered and scored."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from i2s_sdk import evaluate, render_html
from i2s_sdk.run.storage.folder import read_records
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.webpage.site import as_json
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Verdict

pytestmark = pytest.mark.integration

SITE = {
    "index.html": "<!doctype html><link rel=stylesheet href=css/s.css><h1>Names</h1><p>Some words.</p>",
    "css/s.css": "body { background: teal } h1 { font-size: 200px } p { margin: 300px; color: white }",
}
ANSWERS = {
    "dots": {f"./{name}": text for name, text in SITE.items()},
    "unstyled": {"./index.html": SITE["index.html"]},
}


@pytest.mark.parametrize("profile", list(Profile))
def test_a_page_with_names_behind_a_dot_has_its_style_sheet_and_its_score(
    profile: Profile, everything_running_without_networks: Settings, tmp_path: Path
) -> None:
    site, data = tmp_path / "site", tmp_path / "data"
    (site / "css").mkdir(parents=True)
    data.mkdir()
    with tarfile.open(data / "site.tar.gz", "w:gz") as archive:
        for name, text in SITE.items():
            (site / name).write_text(text)
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    reference = render_html(site, settings=everything_running_without_networks).png
    assert reference is not None
    (data / "page.png").write_bytes(reference)
    row = {"task": "webpage", "subset": "html", "image": "page.png", "structure": "site.tar.gz"}
    answers = data / "answers.jsonl"
    with (data / "instances.jsonl").open("w") as instances, answers.open("w") as completions:
        for name, listed in ANSWERS.items():
            instances.write(json.dumps({"id": name, **row}) + "\n")
            completions.write(json.dumps({"id": name, "completion": as_json(listed)}) + "\n")
    evaluate(
        data,
        model=f"replay:{answers}",
        out=tmp_path / "run",
        profile=profile,
        settings=everything_running_without_networks,
    )
    records = read_records(tmp_path / "run")
    for name in ANSWERS:
        assert (records[name].outcome, records[name].rendering.verdict) == (
            Outcome.SCORED,
            Verdict.RENDERED,
        ), name
    assert records["dots"].score.metrics["ems"] == pytest.approx(1.0, abs=1e-3)
    assert 0 <= records["unstyled"].score.metrics["ems"] < 0.9
