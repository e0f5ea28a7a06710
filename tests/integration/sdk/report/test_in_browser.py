"""The report in a real browser."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from i2s_sdk.report import write_report
from i2s_sdk.run.storage.folder import read_run, write_points
from i2s_sdk.run.storage.interface import open_storage
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Failure, FirstError, Outcome, RepairNote
from i2s_wire.render.rendering import Verdict
from report_visits import NUMBER, Visit, until
from run_folders import instances, keep_picture, make_run, options, picture, record_of, write_run
from sample_records import changed, flat_record

pytestmark = pytest.mark.integration

EVIL = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>\"' onload='window.pwned=1"


def test_the_page_shows_its_pictures_in_silence_and_asks_for_nothing_but_them(
    visit: Visit, one_run: Path
) -> None:
    page = visit.open(one_run)
    page.locator("article").first.scroll_into_view_if_needed()
    until(page, "[...document.querySelectorAll('article:first-child img')].every(i => i.naturalWidth > 0)")
    assert visit.said == []
    folder = one_run.parent.resolve().as_uri()
    assert all(
        url == one_run.resolve().as_uri() or url.startswith(f"{folder}/pictures/") for url in visit.asked
    )
    assert any("/pictures/" in url for url in visit.asked)


def test_cards_come_as_one_scrolls(visit: Visit, one_run: Path) -> None:
    page = visit.open(one_run)
    page.select_option("[name=order]", "set")
    assert 0 < page.locator("article").count() < NUMBER
    for _ in range(NUMBER):
        page.locator("article").last.scroll_into_view_if_needed()
        if page.locator("article").count() == NUMBER:
            break
    assert visit.ids == [instance.id for instance in instances(NUMBER)]


def test_filters_leave_what_they_say(visit: Visit, run: Path, one_run: Path) -> None:
    records = read_run(run).ordered()
    page = visit.open(one_run)

    page.select_option("[name=outcome]", "COMPILE_ERROR")
    wanted = [record.instance.id for record in records if record.rendering.verdict is Verdict.COMPILE_ERROR]
    assert visit.ids == wanted
    assert visit.count == f"{len(wanted)} of {NUMBER} samples"
    first = page.locator("article").first
    first.get_by_text("Undefined control sequence. (undefined command, line 3)").wait_for()
    assert first.get_by_text("no rendering").count() == 1

    page.select_option("[name=outcome]", "render_failure")
    assert visit.ids == [record.instance.id for record in records if record.outcome is Outcome.RENDER_FAILURE]
    page.locator("article").first.get_by_text("nobody there").wait_for()

    page.get_by_role("button", name="clear").click()
    until(page, f"document.getElementById('count').textContent.startsWith('{NUMBER} ')")
    page.select_option("[name=order]", "set")
    page.select_option("[name=task]", "latex")
    page.select_option("[name=subset]", "table")
    assert visit.ids == [record.instance.id for record in records if record.instance.subset == "table"]
    page.fill("[name=least]", "0.3")
    page.fill("[name=most]", "0.8")
    within = [
        record
        for record in records
        if record.instance.subset == "table" and 0.3 <= (record.score.metrics.get("ems") or 0) <= 0.8
    ]
    assert visit.ids == [one.instance.id for one in within]
    page.select_option("[name=order]", "low")
    assert visit.ids == [
        one.instance.id for one in sorted(within, key=lambda one: one.score.metrics["ems"] or 0)
    ]
    page.fill("[name=find]", within[0].instance.id)
    assert visit.ids == [within[0].instance.id]
    assert visit.said == []


def test_the_gallery_opens_on_the_best_run_with_its_lowest_samples(
    visit: Visit, two_runs: Path, run: Path
) -> None:
    page = visit.open(two_runs)
    overview = page.locator("#overview tbody th[scope=row]").all_inner_texts()
    assert page.locator("[name=run] option:checked").inner_text() == overview[0]
    best = read_run(run if overview[0] == "model-a" else run.parent / "b")
    values = {one.instance.id: one.score.metrics.get("ems") for one in best.ordered()}
    shown = [values[name] for name in visit.ids]
    assert shown == sorted(value for value in values.values() if value is not None)[: len(shown)]
    page.select_option("[name=run]", label=overview[1])
    page.get_by_role("button", name="clear").click()
    until(page, f"document.querySelector('[name=run]').selectedOptions[0].text === '{overview[0]}'")


def test_the_name_of_a_column_is_explained_by_the_keyboard_alone(visit: Visit, two_runs: Path) -> None:
    page = visit.open(two_runs)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#overview .term')"):
            break
    assert page.locator(".about:popover-open").count() == 0
    page.keyboard.press("Enter")
    shown = page.locator(".about:popover-open")
    assert "Higher is better" in shown.inner_text()
    page.keyboard.press("Escape")
    assert shown.count() == 0
    assert visit.said == []


def test_images_say_whose_they_are(visit: Visit, two_runs: Path) -> None:
    page = visit.open(two_runs)
    page.select_option("[name=outcome]", "+usable")
    name, run = visit.ids[0], page.locator("[name=run] option:checked").inner_text()
    task = page.locator("article .where").first.inner_text().split(" ")[0]
    images = page.locator("article").first.locator("figure [aria-label], figure img:not([alt=''])")
    said = [one.get_attribute("alt") or one.get_attribute("aria-label") for one in images.all()]
    assert said == [
        f"{task} {name}, reference",
        f"{task} {name}, rendering of {run}",
        f"{task} {name}, difference of reference and rendering of {run}",
    ]


def test_texts_of_answers_and_errors_are_searched(visit: Visit, run: Path, one_run: Path) -> None:
    records = read_run(run).ordered()
    page = visit.open(one_run)
    page.select_option("[name=order]", "set")
    page.fill("[name=text]", "undefined CONTROL")
    failed = [record.instance.id for record in records if record.rendering.verdict is Verdict.COMPILE_ERROR]
    until(page, f"document.getElementById('count').textContent === '{len(failed)} of {NUMBER} samples'")
    assert visit.ids == failed
    assert page.locator("article mark").first.inner_text() == "Undefined control"
    page.fill("[name=text]", "answer table-0026")
    until(page, "document.getElementById('count').textContent.startsWith('1 of ')")
    assert visit.ids == ["table-0026"]
    page.reload()
    until(page, "document.getElementById('count').textContent.startsWith('1 of ')")
    assert visit.ids == ["table-0026"]
    page.fill("[name=text]", "")
    until(page, f"document.getElementById('count').textContent.startsWith('{NUMBER} of ')")
    page.fill("[name=text]", "<nothing has this>")
    until(page, "document.getElementById('count').textContent.startsWith('0 of ')")
    assert visit.said == []


def test_a_structure_is_shown_in_colour_and_whole(visit: Visit, one_run: Path) -> None:
    rendered = next(one for one in map(record_of, instances(NUMBER)) if one.rendering.structure)
    page = visit.open(one_run)
    page.fill("[name=find]", rendered.instance.id)
    page.get_by_text("structure", exact=True).click()
    assert page.locator("pre code").inner_text() == rendered.rendering.structure
    assert page.locator("pre .command").inner_text() == "\\frac"
    assert page.locator("pre .note").inner_text() == "% half"


def test_the_difference_is_that_of_the_pixels(visit: Visit, tmp_path: Path) -> None:
    one = PlannedInstance("a", "latex", "equation")
    folder = tmp_path / "run"
    pictures = picture("left", (120, 60)), picture("right", (100, 90))
    digests = [keep_picture(folder, png) for png in pictures]
    record = changed(
        flat_record(
            "a",
            "latex",
            "equation",
            "",
            outcome=Outcome.SCORED,
            usable=True,
            verdict=Verdict.RENDERED,
            metrics={"ems": 0.5},
        ),
        reference_sha256=digests[0],
        rendering_sha256=digests[1],
    )
    page = visit.open(write_report([write_run(folder, [one], {"a": record})]).path)
    until(page, "[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    # The image is moved to a place of whole pixels, so that the browser need not blend.
    page.evaluate(
        """() => {
          const box = document.querySelector(".blend");
          document.body.replaceChildren(box);
          Object.assign(box.style, {position: "fixed", left: "0", top: "0", width: "120px"});
        }"""
    )
    clip = {"x": 0, "y": 0, "width": 120, "height": 90}
    shown = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")
    sheets = []
    for png in pictures:
        sheet = Image.new("RGB", (120, 90), "white")
        sheet.paste(Image.open(io.BytesIO(png)), (0, 0))
        sheets.append(sheet)
    expected = ImageChops.invert(ImageChops.difference(*sheets))
    assert shown.size == expected.size
    assert max(end for _, end in ImageChops.difference(shown, expected).getextrema()) <= 2


def test_runs_are_compared_sample_by_sample(visit: Visit, run: Path, two_runs: Path) -> None:
    page = visit.open(two_runs)
    first, second = read_run(run), read_run(run.parent / "b")
    page.select_option("[name=run]", label="model-b")
    page.select_option("[name=other]", label="model-a")
    page.select_option("[name=order]", "gain")
    gains = {
        one.instance.id: (second.records[one.instance.id].score.metrics["ems"] or 0)
        - (one.score.metrics["ems"] or 0)
        for one in first.ordered()
        if one.outcome.counts and second.records[one.instance.id].outcome.counts
    }
    shown = [gains[name] for name in visit.ids]
    assert shown == sorted(gains.values(), reverse=True)[: len(shown)]
    assert (
        page.locator("article").first.get_by_text("difference").count()
        == 2 - page.locator("article").first.locator(".missing").count()
    )
    link = page.locator("#versus a[data-sample]").first
    link.click()
    assert visit.ids == [link.get_attribute("data-sample")]
    assert page.locator("article h4").all_inner_texts()[0].startswith("model-b")
    assert visit.said == []


def test_a_single_file_needs_nothing_beside_it(visit: Visit, run: Path, tmp_path: Path) -> None:
    made = write_report([run], tmp_path / "made.html", single_file=True).path
    alone = tmp_path / "elsewhere" / "report.html"
    alone.parent.mkdir()
    shutil.move(made, alone)
    page = visit.open(alone)
    page.locator("article img").first.scroll_into_view_if_needed()
    until(page, "[...document.querySelectorAll('article:first-child img')].every(i => i.naturalWidth > 0)")
    assert [url for url in visit.asked if not url.startswith("data:")] == [alone.resolve().as_uri()]
    assert visit.said == []


@pytest.mark.parametrize("single_file", [False, True])
def test_nothing_that_a_model_said_runs(visit: Visit, tmp_path: Path, single_file: bool) -> None:
    record = flat_record(
        id=EVIL,
        task="webpage",
        subset=EVIL,
        difficulty=EVIL,
        outcome=Outcome.SCORED,
        verdict=Verdict.COMPILE_ERROR,
        metrics={"ems": 0.0},
        undefined={EVIL: EVIL},
        repairs=(RepairNote(EVIL, EVIL, EVIL),),
        error=FirstError(EVIL, EVIL, 3),
        completion=EVIL,
        structure=f'[{{"filename": "{EVIL[:40]}", "content": "<script>window.pwned=1</script>"}}]',
        assets=(EVIL,),
        failure=Failure(EVIL, EVIL),
        reference_sha256=EVIL,
        rendering_sha256=f'x" onerror="{EVIL}',
    )
    given = options(model=EVIL, engines={EVIL: EVIL}, sdk=EVIL)
    evil = write_run(tmp_path / "evil", [PlannedInstance(EVIL, "webpage", EVIL, EVIL)], {EVIL: record}, given)
    page = visit.open(write_report([evil, evil], tmp_path / "out.html", single_file=single_file).path)
    page.locator("article details summary").first.wait_for()
    for summary in page.locator("article details summary").all():
        summary.click()
    page.get_by_text("window.pwned=1").first.wait_for()
    page.select_option("[name=outcome]", "COMPILE_ERROR")
    assert page.evaluate("window.pwned") is None
    assert page.locator("article img, article script").count() == 0
    assert visit.said == []


def test_what_would_get_past_is_stopped_by_the_policy(visit: Visit, one_run: Path) -> None:
    page = visit.open(one_run)
    page.evaluate(
        """() => {
          const tries = [
            () => { document.body.innerHTML += "<img src=x onerror=window.pwned=1>"; },
            () => { const s = document.createElement("script"); s.append("window.pwned=1");
                    document.body.append(s); },
            () => { const a = document.createElement("a"); a.href = "javascript:window.pwned=1";
                    document.body.append(a); a.click(); },
            () => { const i = document.createElement("img"); i.src = "http://127.0.0.1:9/";
                    document.body.append(i); },
          ];
          for (const one of tries) { try { one(); } catch { /* refused */ } }
        }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.pwned") is None
    assert len(visit.said) >= 3
    assert visit.refused == {"http://127.0.0.1:9/": "csp"}


def test_2400_samples_open_and_are_filtered_without_being_drawn(visit: Visit, tmp_path: Path) -> None:
    many = make_run(tmp_path / "many", 2400, pictures=False)
    page = visit.open(write_report([many]).path)
    assert visit.count == "2400 of 2400 samples"
    assert page.locator("article").count() <= 72
    page.select_option("[name=order]", "high")
    page.fill("[name=find]", "table-2396")
    assert visit.ids == ["table-2396"]
    page.locator("article .notes").wait_for()
    page.fill("[name=find]", "")
    page.fill("[name=text]", "answer table-2396")
    until(page, "document.getElementById('count').textContent.startsWith('1 of ')")
    assert visit.said == []


def test_reference_points_stand_below_the_models_and_nothing_hidden_takes_room(
    visit: Visit, tmp_path: Path
) -> None:
    run = make_run(tmp_path / "run", NUMBER, pictures=False, model="openai/one")
    points = [
        changed(record_of(instance), outcome=Outcome.SCORED, metrics={"ems": 0.1})
        for instance in instances(NUMBER)
    ]
    write_points(open_storage(run), {"baseline/blank": points, "oracle": points})
    page = visit.open(write_report([run], tmp_path / "report").path)
    rows = page.locator("#numbers .wide").first.locator("tbody tr")
    assert [row.split("\n")[0].split("\t")[0] for row in rows.all_inner_texts()] == [
        "openai/one",
        "Reference points, not ranked",
        "baseline/blank",
        "oracle",
    ]
    assert page.locator("#drawing").bounding_box() is None
    assert visit.said == []
