"""The tasks of Design2Code."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from i2s_sdk.errors import DataError, SettingsError
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.settings import Settings
from i2s_sdk.tasks import NoStructure, RepairKind, Structure, TextPart
from i2s_sdk.tasks.design2code.task import OCR_NAME, Design2codeTask
from i2s_sdk.tasks.registry import open_task, task_spec
from i2s_sdk.tasks.turn import ObservedImage, RevisingTask, TurnResult, observe, turn_texts
from i2s_sdk.tasks.view import PlacesPanel, RowMark, ShownSample
from i2s_sdk.tasks.webpage.block_match import Block
from i2s_sdk.tasks.webpage.layout import ShownPage, page_from_text, page_to_text
from i2s_sdk.tasks.webpage.site import Site, SiteStructure
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.request import SiteSource

PAPER, HELM = Design2codeTask(Profile.PAPER), Design2codeTask(Profile.HELM)
PAGE = "<!DOCTYPE html>\n<html><body><p>a</p></body></html>"
INSTANCE = Instance("a", "design2code", "design2code", Path("a.png"))


def png(color: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 8), color).save(file, "PNG")
    return file.getvalue()


def test_the_prompt_of_the_settings_names_the_texts_of_the_page() -> None:
    (direct,) = PAPER.questions(INSTANCE)
    assert 'use "rick.jpg" as the placeholder' in str(direct.parts[0])
    chosen = open_task("design2code", settings=replace(Settings(), design2code_prompt="text"))
    (question,) = chosen.questions(replace(INSTANCE, inputs={"texts": ["{one}", "two"]}))
    assert isinstance(question.parts[0], TextPart)
    assert "The text elements are:\n{one}\ntwo\nYou should" in question.parts[0].text
    assert chosen.prompt_texts() != PAPER.prompt_texts()
    with pytest.raises(DataError, match="no texts"):
        chosen.questions(INSTANCE)


def test_another_prompt_is_named() -> None:
    with pytest.raises(SettingsError, match="direct or text"):
        PAPER.configured(replace(Settings(), design2code_prompt="both"))


def test_an_answer_is_one_page_and_several_files_are_a_site() -> None:
    structure = PAPER.structure_from(f"Here it is:\n```html\n{PAGE}\n```")
    assert structure == Structure(PAGE, structure.origin if isinstance(structure, Structure) else None)
    site = PAPER.structure_from('```html\n<link href="a.css">\n```\n```css\np {}\n```')
    assert isinstance(site, SiteStructure)
    assert sorted(PAPER.document(site).files) == ["a.css", "index.html"]
    assert RepairKind.HTML_AS_INDEX not in {repair.kind for repair in site.repairs}


def test_profile_reference_reads_and_wraps_as_released() -> None:
    assert HELM.structure_from(f"```html\n{PAGE}\n```") == Structure(PAGE)
    assert HELM.structure_from("prose") == Structure("prose")
    assert isinstance(HELM.structure_from("``` ```"), NoStructure)
    assert HELM.document(Structure("prose")).files == {
        "index.html": b"<html><body><p>prose</p></body></html>"
    }
    assert PAPER.document(Structure("prose")).files == {"index.html": b"prose"}


def test_pages_are_drawn_whole_with_the_placeholder_beside_them() -> None:
    request = PAPER.drawn_request(PAPER.document(Structure(PAGE), {"rick.jpg": b"j"}))
    window, site = request.options.window, request.options.site
    assert window is not None
    assert site is not None
    assert (window.width, window.height, window.full_page, site.want_blocks) == (1280, 720, True, True)
    assert isinstance(request.source, SiteSource)
    assert request.source.assets == {"rick.jpg": b"j"}


def test_the_ground_truth_is_the_page_whose_rendering_has_the_blocks() -> None:
    content = Content(structure=PAGE, assets={"rick.jpg": b"j"})
    assert PAPER.truth(content) == Site({"index.html": PAGE.encode()}, {"rick.jpg": b"j"})
    assert PAPER.truth(Content()) is None
    assert PAPER.drawn_truth(Content(target={"blocks": [], "engine": "a"})) is None
    assert HELM.drawn(Site({}), Rendering(Verdict.RENDERED)) == ""
    assert HELM.repair(Site({}), Rendering(Verdict.NO_OUTPUT)) is None


def test_blocks_that_were_read_are_the_ground_truth_of_an_image_alone() -> None:
    task = open_task(OCR_NAME)
    assert isinstance(task, Design2codeTask)
    target = {"blocks": [["Title", 0.1, 0.2, 0.3, 0.4, 1, 2, 3]], "engine": "a"}
    drawn = task.drawn_truth(Content(target=target))
    assert isinstance(drawn, str)
    (block,) = page_from_text(drawn).blocks
    assert (block.text, block.box, block.color) == ("title", (0.1, 0.2, 0.3, 0.4), (1, 2, 3))
    assert [scorer.name for scorer in task.scorers] != [scorer.name for scorer in PAPER.scorers]


def test_a_revision_is_asked_in_the_published_words_with_both_pages() -> None:
    assert isinstance(PAPER, RevisingTask)
    assert set(PAPER.revision_texts) < set(turn_texts(PAPER))
    result = TurnResult(png("red"), Verdict.RENDERED, code="<p>{code}</p>")
    parts = observe(PAPER, result, png("blue")).parts
    assert "The current implementation I have is:\n<p>{code}</p>\n\nI will" in str(parts[0])
    assert (parts[1], parts[3]) == ("Reference Webpage:", "Current Webpage:")
    images = [part for part in parts if isinstance(part, ObservedImage)]
    colors = [tuple(np.asarray(Image.open(io.BytesIO(image.png)))[0, 0]) for image in images]
    assert [image.name for image in images] == ["reference.png", "rendering.png"]
    assert colors == [(0, 0, 255), (255, 0, 0)]


def test_an_answer_that_was_not_rendered_is_told_in_the_words_of_turns() -> None:
    parts = observe(PAPER, TurnResult(None, Verdict.TIME_LIMIT, "too slow"), png("blue")).parts
    assert parts[0] == "Your answer could not be rendered."


@pytest.mark.parametrize("profile", Profile)
def test_the_oracle_is_read_as_the_ground_truth(profile: Profile) -> None:
    spec, task = task_spec("design2code"), Design2codeTask(profile)
    (question,) = task.questions(INSTANCE)
    for page in (PAGE, PAGE.replace("<p>a", "<p>```a```")):
        structure = task.structure_from(spec.answer(Content(structure=page), question))
        assert isinstance(structure, Structure)
        assert structure.code == page


def test_the_report_shows_the_blocks_of_whichever_scorer_compared_them() -> None:
    page = page_to_text(ShownPage((Block("a", (0, 0, 1, 1), (0, 0, 0)),), {}))
    for name in ("design2code", OCR_NAME):
        for profile in Profile:
            (scorer,) = open_task(name, profile).scorers
            values = scorer.score(Scorable("a", drawn=page, drawn_truth=page))
            assert isinstance(values, MetricValues)
            show = task_spec(name).view
            assert show is not None
            (panel,) = show(ShownSample(detail={scorer.name: values.detail}))
            assert isinstance(panel, PlacesPanel)
            assert [row.mark for row in panel.rows] == [RowMark.MATCHED]
            assert show(ShownSample()) == ()


def test_grades_change_the_page() -> None:
    content = Content(
        structure="<!DOCTYPE html>\n<html><head></head><body><p>one two three</p></body></html>"
    )
    from random import Random

    changed = [grade.change(content, Random(1)) for grade in task_spec("design2code").grades]
    codes = [one.structure for one in changed if one is not None]
    assert len(codes) > 3
    assert len({*codes, content.structure}) == len(codes) + 1


def test_the_oracle_of_an_image_alone_writes_its_blocks_where_they_were_read() -> None:
    target = {"blocks": [["Title", 0.25, 0.5, 0.5, 0.25, 1, 2, 3]], "engine": "a"}
    spec = task_spec(OCR_NAME)
    answer = spec.answer(Content(png("white"), target=target), PAPER.questions(INSTANCE)[0])
    structure = spec.open(Profile.PAPER).structure_from(answer)
    assert isinstance(structure, Structure)
    assert "left:2px;top:4px;width:4px;height:2px" in structure.code
