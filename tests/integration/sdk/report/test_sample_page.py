"""One sample of a report on its own: its address, its images, its texts."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser

from i2s_sdk.report import write_report
from i2s_sdk.run.generate import QuestionPart, StoredQuestion
from i2s_sdk.run.storage.codec import rendering_line
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import FirstError, Outcome, RepairNote, TokenUsage
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.view import ImageMark, ImageMarkKind, MarkedImage
from i2s_wire.render.rendering import Verdict
from report_visits import NUMBER, Visit, one_sample, until
from run_folders import instances, keep_picture, picture, record_of, rendered_of, write_run
from sample_records import changed

pytestmark = pytest.mark.integration


def test_a_link_shows_one_sample_with_the_same_settings_in_another_browser(
    visit: Visit, browser: Browser, two_runs: Path
) -> None:
    page = visit.open(two_runs)
    page.select_option("[name=order]", "high")
    page.select_option("[name=run]", label="model-b")
    page.locator("article h3 a").nth(2).click()
    name = page.locator("#sample h2").inner_text()
    page.get_by_role("button", name="slider").click()
    page.get_by_role("button", name="4×").click()
    address = page.url
    context = browser.new_context()
    other = context.new_page()
    other.goto(address)
    other.locator("#sample h2").wait_for()
    assert other.locator("#sample h2").inner_text() == name
    pressed = other.locator("#sample [aria-pressed=true]").all_inner_texts()
    assert pressed == ["model-b", "slider", "4×"]
    assert other.locator("#sample .note").first.inner_text() == "3 of 60"
    assert other.locator("#gallery").is_hidden()
    other.keyboard.press("Escape")
    assert other.locator("[name=order]").input_value() == "high"
    assert other.locator("article h3 a").nth(2).inner_text() == name
    context.close()
    assert visit.said == []


def test_samples_are_turned_with_keys_and_the_back_button_returns(visit: Visit, one_run: Path) -> None:
    page = visit.open(one_run)
    names = page.locator("article h3 a").all_inner_texts()
    page.locator("article .zoom").first.click()
    assert page.locator("#sample h2").inner_text() == names[0]
    page.keyboard.press("ArrowRight")
    assert page.locator("#sample h2").inner_text() == names[1]
    page.keyboard.press("ArrowLeft")
    assert page.locator("#sample h2").inner_text() == names[0]
    page.locator("#sample .term").first.press("Enter")
    page.keyboard.press("Escape")  # closes what the term means, not the sample
    assert page.locator(".about:popover-open").count() == 0
    assert page.locator("#sample h2").inner_text() == names[0]
    for _ in range(3):
        page.go_back()
    assert page.locator("#sample").is_hidden()
    assert page.locator("article").first.is_visible()


def test_images_are_compared_at_their_own_pixels(visit: Visit, tmp_path: Path) -> None:
    one = instances(1)[0]
    folder = tmp_path / "run"
    sheets = [Image.new("RGB", size, color) for size, color in (((90, 40), "white"), ((60, 50), "black"))]
    files = []
    for sheet in sheets:
        content = io.BytesIO()
        sheet.save(content, "PNG")
        files.append(keep_picture(folder, content.getvalue()))
    record = changed(
        record_of(instances(10)[0]),
        id=one.id,
        outcome=Outcome.SCORED,
        usable=True,
        verdict=Verdict.RENDERED,
        reference_sha256=files[0],
        rendering_sha256=files[1],
    )
    report = write_report([write_run(folder, [one], {one.id: record})]).path
    page = visit.open(report)
    visit.page.goto(f"{report.resolve().as_uri()}#samples?sample={one.id}&compare=onion&zoom=2")
    page.reload()
    stack = page.locator("#sample .frame")
    stack.wait_for()
    box = stack.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (180, 100)  # 90 × 50 pixels, twice
    until(page, "[...document.querySelectorAll('#sample img')].every(i => i.naturalWidth > 0)")
    shown = Image.open(io.BytesIO(stack.screenshot())).convert("RGB")
    middle = shown.getpixel((60, 50))
    assert isinstance(middle, tuple)
    assert all(abs(part - 128) <= 2 for part in middle)  # half black over white
    assert shown.getpixel((150, 90)) == (255, 255, 255)


def test_marks_are_shown_on_an_image_as_large_as_the_reference(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = ImageMark(ImageMarkKind.GOLD, (0.25, 0.5, 0.75, 1.0), "1")
    view = replace(SPECS["latex"], view=lambda shown: (MarkedImage("Marks", (mark,)),))
    monkeypatch.setitem(SPECS, "latex", view)
    folder = tmp_path / "run"
    reference = keep_picture(folder, picture("page", (600, 800)))
    record = changed(record_of(PlannedInstance("page", "latex", "s")), reference_sha256=reference)
    page = visit.open(one_sample(folder, record, rendered_of(record)))
    page.locator("article h3 a").click()
    sizes = {}
    for zoom, width in (("fit", None), ("2×", 1200)):
        page.locator("#sample .tools button", has_text=zoom).click()
        marks = page.locator("#sample .marks")
        marks.wait_for()
        box, marked = marks.bounding_box(), marks.locator(".on-image").bounding_box()
        assert box is not None
        assert marked is not None
        assert marked["width"] / box["width"] == pytest.approx(0.5, abs=0.02)
        sizes[zoom] = box["width"]
        assert width is None or box["width"] == width
    assert sizes["fit"] == 600
    assert visit.said == []


def test_target_and_answer_stand_side_by_side_and_the_error_names_its_line(
    visit: Visit, tmp_path: Path
) -> None:
    one = instances(1)[0]
    record = changed(
        record_of(one),
        outcome=Outcome.SCORED,
        usable=False,
        verdict=Verdict.COMPILE_ERROR,
        verdict_before_repair=Verdict.COMPILE_ERROR,
        structure="a + \\alpah",
        completion="a + \\alpah",
        error=FirstError("Undefined control sequence.", "UNDEFINED_COMMAND", 2),
    )
    folder = write_run(tmp_path / "run", [one], {one.id: record})
    kept = rendered_of(
        record, text="a + \\alpah", truth="a +  \\alpha", document="\\documentclass{x}\n$a + \\alpah$"
    )
    (folder / "renderings.jsonl").write_text(json.dumps(rendering_line(record.instance, kept)) + "\n")
    page = visit.open(write_report([folder]).path)
    page.locator("article h3 a").click()
    page.locator("#sample .texts").wait_for()
    assert page.locator("#sample .texts del").all_inner_texts() == ["\\alpha"]
    assert page.locator("#sample .texts ins").all_inner_texts() == ["\\alpah"]
    assert page.locator("#sample ol.lines li.bad").all_inner_texts() == ["$a + \\alpah$"]
    assert visit.said == []


def test_a_table_has_a_column_for_each_run_and_is_sorted_by_it(
    visit: Visit, run: Path, two_runs: Path
) -> None:
    page = visit.open(two_runs)
    page.select_option("[name=view]", "table")
    heads = page.locator("table.samples thead th").all_inner_texts()
    assert heads == ["sample", "subset", "difficulty", "model-a", "model-b"]
    page.get_by_role("button", name="difficulty").click()
    levels = page.locator("table.samples tbody td:nth-child(3)").all_inner_texts()
    assert levels == sorted(levels, key=["easy", "medium", "hard"].index)
    assert "sort=up+difficulty" in page.url
    page.reload()
    page.locator("table.samples tbody tr").first.wait_for()
    assert page.locator("table.samples th").nth(2).get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="sample", exact=True).click()
    names = page.locator("table.samples tbody th").all_inner_texts()
    assert names == sorted(names)
    page.get_by_role("button", name="model-b").click()
    assert page.locator("table.samples th").nth(4).get_attribute("aria-sort") == "ascending" or (
        page.locator("table.samples th").nth(4).get_attribute("aria-sort") == "descending"
    )
    values = [one.score.metrics.get("ems") for one in read_run(run.parent / "b").ordered()]
    expected = sorted(value for value in values if value is not None)
    page.get_by_role("button", name="model-b").click()
    cells = page.locator("table.samples tbody tr td:nth-child(5)").all_inner_texts()[: len(expected)]
    numbers = [float(cell) for cell in cells]
    assert numbers in (
        [pytest.approx(one, abs=6e-4) for one in expected],
        [pytest.approx(one, abs=6e-4) for one in reversed(expected)],
    )
    page.locator("table.samples tbody a").first.click()
    page.locator("#sample h2").wait_for()
    assert visit.said == []


def test_a_grid_shows_small_images(visit: Visit, one_run: Path) -> None:
    page = visit.open(one_run)
    page.select_option("[name=view]", "grid")
    assert page.locator(".tile").count() == NUMBER
    page.locator(".tile").nth(1).click()
    page.locator("#sample .comparison").wait_for()
    assert visit.said == []


def test_two_metrics_are_drawn_against_each_other_and_a_point_opens_its_sample(
    visit: Visit, run: Path, one_run: Path
) -> None:
    page = visit.open(one_run)
    page.select_option("[name=order]", "set")
    page.select_option("[name=view]", "chart")
    page.select_option("[name=height]", "ssim")
    both = [one for one in read_run(run).ordered() if {"ems", "ssim"} <= one.score.metrics.keys()]
    assert page.locator(".scatter circle").count() == len(both)
    page.locator(".scatter circle").first.press("Enter")
    assert page.locator("#sample h2").inner_text() == both[0].instance.id
    assert visit.said == []


def test_what_answers_took_is_drawn_against_their_values(visit: Visit, tmp_path: Path) -> None:
    planned = instances(8)
    took = {one.id: (10.0 * at, at / 1000) for at, one in enumerate(planned, 1)}
    records = {
        one.id: changed(
            record_of(one),
            usage=TokenUsage(100, int(took[one.id][0])),
            cost=took[one.id][1],
            seconds={"generate": None},
        )
        for one in planned
    }
    page = visit.open(write_report([write_run(tmp_path / "run", planned, records)]).path)
    page.get_by_role("link", name="score against").click()
    axes = page.locator("[name=height] option").all_inner_texts()
    assert axes[:3] == ["tokens out", "cost in $", "tokens in"]
    assert "seconds" not in axes
    scored = [record for record in records.values() if record.score.metrics.get("ems") is not None]
    for axis, at in (("tokens out", 0), ("cost in $", 1)):
        page.select_option("[name=height]", axis)
        points = page.locator(".scatter circle")
        assert points.count() == len(scored)
        titles = [one.text_content() or "" for one in points.all()]
        named = {text.partition(":")[0]: float(text.rpartition(" ")[2]) for text in titles}
        assert named == {one.instance.id: took[one.instance.id][at] for one in scored}
        places = {
            text.partition(":")[0]: float(one.get_attribute("cx") or 0)
            for text, one in zip(titles, points.all(), strict=True)
        }
        assert sorted(places, key=places.__getitem__) == sorted(named, key=named.__getitem__)
    assert visit.said == []


def test_the_question_is_that_of_the_run_with_its_images(visit: Visit, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    example = keep_picture(folder, picture("example"))
    record = record_of(instances(1)[0], folder=folder)
    parts = (
        QuestionPart("Copy this formula."),
        QuestionPart(sha256=example, file="e.png"),
        QuestionPart("\nAnswer:\nx^2"),
    )
    asked = StoredQuestion(parts, "Be exact.", '{"type": "object"}')
    page = visit.open(one_sample(folder, record, rendered_of(record), asked))
    page.locator("article h3 a").click()
    page.locator(".questions summary").click()
    shown = page.locator(".questions")
    assert shown.locator("summary").inner_text() == "question"
    shown.get_by_text("Be exact.").wait_for()  # it is filled in an event of its own
    assert "Copy this formula." in shown.inner_text()
    assert shown.locator("img").count() == 1
    assert '"type"' in shown.inner_text()
    assert visit.said == []


def test_the_first_cause_stands_before_repairs_and_the_log_is_shown(visit: Visit, tmp_path: Path) -> None:
    record = changed(
        record_of(instances(1)[0]),
        outcome=Outcome.SCORED,
        usable=False,
        verdict=Verdict.COMPILE_ERROR,
        verdict_before_repair=Verdict.COMPILE_ERROR,
        structure="\\alpah",
        error_before_repair=FirstError("Missing $ inserted.", "OTHER", 7),
        repairs=(RepairNote("wrap_math", "", "Missing $ inserted."),),
        error=FirstError("Undefined control sequence.", "UNDEFINED_COMMAND", 2),
    )
    kept = rendered_of(record, document="a\n$\\alpah$", log="! Undefined control sequence.\nl.2")
    page = visit.open(one_sample(tmp_path / "run", record, kept))
    page.locator("article h3 a").click()
    page.locator("#sample .notes").wait_for()
    notes = page.locator("#sample .notes li").all_inner_texts()
    assert notes[0] == "first error Missing $ inserted. (other, line 7)"
    assert notes[1] == "repair wrap math"
    assert notes[2] == "error after repairs Undefined control sequence. (undefined command, line 2)"
    page.get_by_text("log of the last render").click()
    assert page.locator("pre.log").inner_text().startswith("! Undefined control")
    assert visit.said == []


def test_a_pooled_metric_shows_its_numerator_and_denominator(visit: Visit, tmp_path: Path) -> None:
    record = changed(
        record_of(PlannedInstance("one", "readoc", "a")),
        outcome=Outcome.SCORED,
        usable=True,
        structure="text",
    )
    record = changed(record, parts={"table_teds": (2.5, 4.0)})
    page = visit.open(one_sample(tmp_path / "run", record, rendered_of(record)))
    page.locator("article h3 a").click()
    page.locator("#sample .pooled").wait_for()
    assert page.locator("#sample .pooled tr").nth(1).inner_text().split() == ["table_teds", "2.5", "4"]
    assert visit.said == []


def test_sites_are_compared_file_by_file_and_their_files_have_numbers(visit: Visit, tmp_path: Path) -> None:
    def site(**files: str) -> str:
        return json.dumps(
            [{"filename": name.replace("_", "."), "content": own} for name, own in files.items()]
        )

    answer = site(index_html="<p class='a'>One</p> <!-- mine -->", style_css="p { color: red }\n/* x */")
    target = site(index_html="<p class='a'>Two</p>", style_css="p{color:red}")
    one = PlannedInstance("site", "webpage", "css")
    record = changed(record_of(one), outcome=Outcome.SCORED, usable=True, verdict=Verdict.RENDERED)
    record = changed(record, structure=answer, document_sha256="0" * 64, metrics={"ems": 0.5})
    page = visit.open(one_sample(tmp_path / "run", record, rendered_of(record, target=target)))
    page.locator("article h3 a").click()
    page.locator("#sample .texts").first.wait_for()
    assert page.locator("#sample .compared-file .file").all_inner_texts() == ["index.html", "style.css"]
    assert page.locator("#sample .texts del").all_inner_texts() == ["Two"]
    assert page.locator("#sample .texts ins").all_inner_texts() == ["One"]
    second = page.locator(".compared-file").nth(1)
    assert "differ only in comments or white space" in second.inner_text()
    assert page.locator("#sample .texts .note").first.inner_text() == "<!-- mine -->"
    page.get_by_text("document that was rendered").click()
    page.locator("#sample ol.lines").first.wait_for()
    assert page.locator("#sample ol.lines").count() == 2
    assert page.locator("#sample ol.lines").nth(1).locator("li").count() == 2
    assert visit.said == []


@pytest.mark.parametrize(
    ("task", "target", "answer", "removed", "added"),
    [
        ("latex", "a + b % sum", "a +\n  c", ["b"], ["c"]),
        ("music", "c4 d4 % end", "c4  e4", ["d4"], ["e4"]),
        ("chart", "if a:\n    b = 1  # x", "if a:\n        b = 1", ["\n    "], ["\n        "]),
        ("readoc", "# A\n\ntext", "# A\ntext", ["\n\n"], ["\n"]),
        ("sobench", '{"a": 1}', '{ "a" : 2 }', ["1"], ["2"]),
    ],
)
def test_white_space_and_comments_count_as_their_language_has_them(
    visit: Visit, tmp_path: Path, task: str, target: str, answer: str, removed: list[str], added: list[str]
) -> None:
    record = changed(
        record_of(PlannedInstance("one", task, "a")), outcome=Outcome.SCORED, usable=True, structure=answer
    )
    record = changed(record, completion=answer, verdict=Verdict.RENDERED)
    page = visit.open(one_sample(tmp_path / "run", record, rendered_of(record, target=target)))
    page.locator("article h3 a").click()
    page.locator("#sample .texts").wait_for()
    assert page.locator("#sample .texts del").all_text_contents() == removed
    assert page.locator("#sample .texts ins").all_text_contents() == added
    assert visit.said == []


def test_samples_are_filtered_by_difficulty_and_the_address_has_it(visit: Visit, one_run: Path) -> None:
    page = visit.open(one_run)
    page.select_option("[name=difficulty]", "medium")
    wanted = sum(instance.difficulty == "medium" for instance in instances(NUMBER))
    assert visit.count == f"{wanted} of {NUMBER} samples"
    page.reload()
    page.locator("article").first.wait_for()
    assert page.locator("[name=difficulty]").input_value() == "medium"
    assert visit.count == f"{wanted} of {NUMBER} samples"


def test_images_of_all_runs_stand_beside_each_other_and_the_slider_is_in_the_address(
    visit: Visit, run: Path, two_runs: Path
) -> None:
    both = [read_run(folder).records for folder in (run, run.parent / "b")]
    one = next(
        name
        for name, first in both[0].items()
        if first.rendering.has_image and both[1][name].rendering.has_image
    )
    page = visit.open(two_runs)
    page.goto(f"{two_runs.resolve().as_uri()}#samples?sample={one}")
    page.reload()
    page.get_by_role("button", name="all runs").click()
    captions = page.locator("#sample .beside figcaption").all_inner_texts()
    assert [caption.split(",")[0] for caption in captions] == ["reference", "model-a", "model-b"]
    page.get_by_role("button", name="slider").click()
    page.locator("#sample .range input").fill("20")
    assert "at=20" in page.url
    page.reload()
    page.locator("#sample .range input").wait_for()
    assert page.locator("#sample .range input").input_value() == "20"
    assert "20%" in (page.locator("#sample .layer").nth(1).get_attribute("style") or "")
    assert visit.said == []


def test_points_of_a_chart_are_reached_by_the_keyboard_and_show_it(visit: Visit, one_run: Path) -> None:
    page = visit.open(one_run)
    page.select_option("[name=view]", "chart")
    page.locator("button[type=reset]").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "circle"
    outline = page.evaluate("getComputedStyle(document.activeElement).strokeWidth")
    assert outline == "3px"
    page.keyboard.press("Enter")
    page.locator("#sample h2").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_page_scrolls_in_one_direction_only_and_has_the_colours_of_its_theme(
    browser: Browser, two_runs: Path, scheme: str
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page.goto(two_runs.resolve().as_uri())
    page.locator("article").first.wait_for()
    for opens in (False, True):
        if opens:
            page.locator("article h3 a").first.click()
            page.locator("#sample h2").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(251, 250, 247)", "dark": "rgb(22, 24, 28)"}[scheme]
    page.close()
