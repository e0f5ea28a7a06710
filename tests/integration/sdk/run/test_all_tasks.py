"""Evaluations of all tasks with the real services, and of what happens when one is missing."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk import evaluate, render_html, render_lilypond
from i2s_sdk.errors import CommandMissingError
from i2s_sdk.run.storage.folder import read_records
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.settings import Settings
from i2s_sdk.stack.command import find_program
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.options import SiteOptions, WindowOptions
from i2s_wire.render.rendering import Verdict

pytestmark = pytest.mark.integration

PAGE = "<!doctype html><title>T</title><h1>Image2Struct</h1><p>Some words.</p><img src='a.png'>"
SCORE = '\\version "2.24.0"\n\\relative c\' { c4 d e f | g1 }'


def need(service: str) -> None:
    try:
        find_program(service)
    except CommandMissingError as error:
        pytest.skip(error.message)


def picture(size: tuple[int, int] = (40, 30)) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", size, "tomato").save(content, "PNG")
    return content.getvalue()


@pytest.fixture
def data(tmp_path: Path, running: Settings) -> Path:
    """A data set of one instance of each task; the references are drawn by hand."""
    folder = tmp_path / "data"
    folder.mkdir()
    assert running.examples is not None
    shutil.copy(running.examples / "structures/equation-gaussian-posterior.tex", folder / "a.tex")
    shutil.copy(running.examples / "references/equation-gaussian-posterior.png", folder / "a.png")
    (folder / "b.png").write_bytes(picture((1920, 1080)))
    (folder / "c.png").write_bytes(picture())
    (folder / "c.ly").write_text(SCORE)
    with tarfile.open(folder / "b.tar.gz", "w:gz") as archive:
        for name, content in (("index.html", PAGE.encode()), ("a.png", picture())):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    rows = [
        {"id": "latex", "task": "latex", "subset": "equation", "image": "a.png", "structure": "a.tex"},
        {
            "id": "page",
            "task": "webpage",
            "subset": "html",
            "image": "b.png",
            "structure": "b.tar.gz",
            "assets": ["a.png"],
        },
        {"id": "music", "task": "music", "subset": "music", "image": "c.png", "structure": "c.ly"},
    ]
    (folder / "instances.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_samples_of_a_renderer_that_is_missing_have_no_score_and_the_others_do(
    data: Path, tmp_path: Path, running: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = replace(running, render_html="127.0.0.1:1", render_lilypond="127.0.0.1:1", start_seconds=0.2)
    result = evaluate(data, out=tmp_path / "run", settings=nobody)
    records = read_records(tmp_path / "run")
    assert records["latex"].outcome is Outcome.SCORED
    for name in ("page", "music"):
        assert records[name].outcome is Outcome.RENDER_FAILURE
        assert records[name].score.metrics == {}
        assert records[name].answer.completion is None  # the model was not asked
        assert records[name].failure is not None
        assert "127.0.0.1:1" in records[name].failure.message
    assert (result.summary.scored, result.summary.planned, result.covered) == (1, 3, False)


def test_a_task_alone_whose_renderer_is_not_installed_is_told_what_to_install(
    data: Path, tmp_path: Path, running: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(service: str) -> Path:
        raise CommandMissingError(f"install the package i2s-{service}")

    monkeypatch.setattr("i2s_sdk.stack.command.find_program", nowhere)
    with pytest.raises(CommandMissingError, match="install the package i2s-render-html"):
        evaluate(data, out=tmp_path / "run", tasks=["webpage"], settings=running)
    assert not (tmp_path / "run" / "manifest.json").exists()


def test_a_renderer_that_comes_later_goes_on_with_the_same_run(
    data: Path, tmp_path: Path, running: Settings
) -> None:
    need("render-html")
    nobody = replace(running, render_html="127.0.0.1:1", start_seconds=0.2)
    tasks = ["latex", "webpage"]
    first = evaluate(data, out=tmp_path / "run", tasks=tasks, settings=nobody)
    assert first.summary.scored == 1
    again = evaluate(data, out=tmp_path / "run", tasks=tasks, settings=running)
    assert again.summary.scored == 2
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert set(manifest["options"]["engines"]) == {"render-latex", "render-html"}
    page = read_records(tmp_path / "run")["page"]
    assert (page.rendering.verdict, page.instance.assets, page.score.metrics["edit"]) == (
        Verdict.RENDERED,
        ("a.png",),
        1.0,
    )
    assert (page.rendering.width, page.rendering.height) == (1920, 1080)
    assert (tmp_path / "run" / "thumbnails").is_dir()


@pytest.mark.parametrize(
    "profile",
    [
        Profile.PAPER,
        pytest.param(
            Profile.HELM,
            marks=pytest.mark.nightly(instead="recorded/test_results.py, with the oracle in this profile"),
        ),
    ],
)
def test_the_ground_truth_of_every_example_is_rendered_as_its_reference(
    profile: Profile, tmp_path: Path, everything_running_without_networks: Settings
) -> None:
    result = evaluate(
        out=tmp_path / "run",
        tasks=["webpage", "music"],
        profile=profile,
        limit=None,
        settings=everything_running_without_networks,
    )
    assert result.covered
    for name, record in read_records(tmp_path / "run").items():
        assert record.outcome is Outcome.SCORED, (name, record.failure)
        assert record.rendering.verdict in (Verdict.RENDERED, Verdict.RENDERED_WITH_ERRORS), (
            name,
            record.message,
        )
        assert record.score.metrics["ems"] == pytest.approx(1.0, abs=1e-3), name
        if record.instance.task == "webpage" and profile is Profile.PAPER:
            assert record.score.metrics["edit"] == 1.0, name


def test_a_site_is_rendered_from_a_folder_with_what_was_asked_for(tmp_path: Path, running: Settings) -> None:
    need("render-html")
    (tmp_path / "index.html").write_text(PAGE)
    result = render_html(
        tmp_path, window=WindowOptions(400, 300), options=SiteOptions(want_text=True), settings=running
    )
    assert result.png is not None
    with Image.open(io.BytesIO(result.png)) as shown:
        assert shown.size == (400, 300)
    site = result.rendering.site
    assert site is not None
    assert (site.title, site.missing) == ("T", ("a.png",))
    assert "Some words." in site.text


def test_a_score_is_rendered_and_an_older_one_is_converted(running: Settings) -> None:
    need("render-lilypond")
    assert render_lilypond(SCORE, settings=running).repairs == ()
    refused = render_lilypond("{ c' ", settings=running)
    assert refused.rendering.verdict is not Verdict.RENDERED or refused.repairs
