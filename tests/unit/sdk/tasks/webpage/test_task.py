"""The webpage task."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.instances.instance import Asset, Content, Instance
from i2s_sdk.tasks import NoStructure, RepairKind, Structure, TextPart
from i2s_sdk.tasks.webpage import Site, WebpageTask
from i2s_sdk.tasks.webpage.site import as_json, site_of
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.request import SiteSource
from i2s_wire.render.site import SiteResult

PAPER, HELM = WebpageTask(Profile.PAPER), WebpageTask(Profile.HELM)


def test_the_prompt_lists_the_assets() -> None:
    plain = Instance("a", "webpage", "html", Path("a.png"))
    (question,) = PAPER.questions(replace(plain, assets=(Asset("img/a.png"), Asset("b.svg"))))
    assert isinstance(question.parts[1], TextPart)
    assert question.parts[1].text.endswith(
        "\nYou have access to the following assets:\n- img/a.png\n- b.svg\n"
    )
    (without,) = PAPER.questions(plain)
    assert "assets" not in str(without.parts[1])


@pytest.mark.parametrize("depth", [150, 200_000])
@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```"])
def test_helm_has_no_structure_if_the_answer_is_nested_too_deeply(depth: int, fence: str) -> None:
    file = '{"filename": "index.html", "content": "x", "more": ' + "[" * depth + "]" * depth + "}"
    structure = HELM.structure_from(fence.format(f"[{file}]"))
    assert isinstance(structure, NoStructure)
    assert "JSON" in structure.reason


@pytest.mark.parametrize("task", [PAPER, HELM])
def test_assets_lie_at_their_names_and_are_never_overwritten(task: WebpageTask) -> None:
    structure = task.structure_from(as_json({"index.html": "x", "img/a.png": "mine"}), ["img/a.png"])
    assert isinstance(structure, Structure)
    source = task.request(task.document(structure, {"img/a.png": b"theirs"})).source
    assert isinstance(source, SiteSource)
    assert source.files == {"index.html": b"x"}
    assert source.assets == {"img/a.png": b"theirs"}


def test_pages_are_compared_in_one_viewport_and_resized() -> None:
    window = PAPER.request(Site({})).options.window
    assert (window.width, window.height, window.device_scale, window.full_page) == (1920, 1080, 1.0, False)
    assert PAPER.size_policy is SizePolicy.RESIZE


def test_a_structure_of_another_task_cannot_be_shown() -> None:
    with pytest.raises(TypeError, match="Structure"):
        PAPER.document(Structure("x"))


def test_paper_renders_the_ground_truth_for_its_text_and_takes_the_text_where_that_is_all() -> None:
    content = Content(b"", site={"index.html": b"x", "a.png": b"p"}, assets={"a.png": b"p"}, text="given")
    assert PAPER.truth(content) == Site({"index.html": b"x"}, {"a.png": b"p"})
    assert PAPER.truth(Content(b"", text="given")) == "given"
    assert PAPER.truth(Content(b"")) is None
    shown = Rendering(Verdict.RENDERED, site=SiteResult(text="what the browser shows"))
    assert PAPER.text_for_edit(Site({}), shown) == "what the browser shows"


def test_helm_prefers_the_text_of_the_data_set() -> None:
    assert HELM.truth(Content(b"", site={"index.html": b"x"}, text="given")) == "given"


def test_helm_reads_the_index_page_without_front_matter() -> None:
    pytest.importorskip("html2text")
    page = b"---\nlayout: default\n---\n<h1>Title</h1><a href='/'>home</a><p>end</p>"
    site = site_of({"index.html": page}, {})
    assert HELM.text_for_edit(site, Rendering(Verdict.RENDERED)) == "# Title\nhome\nend"
    assert HELM.truth(Content(b"", site={"index.html": page})) == "# Title\nhome\nend"


def test_helm_keeps_images_as_the_reference_implementation_does() -> None:
    pytest.importorskip("html2text")
    page = b"<p>before <img src='img/a.png' alt='logo'> after</p><p><a href='/'><img src='b.png'></a></p>"
    shown = "before ![logo](img/a.png) after\n![](b.png)"
    assert HELM.text_for_edit(site_of({"index.html": page}, {}), Rendering(Verdict.RENDERED)) == shown


def test_without_the_package_helm_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("i2s_sdk.tasks.webpage.task.is_available", lambda: False)
    assert "html2text" in HELM.unavailable()["edit"]
    assert PAPER.unavailable() == {}
    assert HELM.truth(Content(b"", site={"index.html": b"x"})) is None


def test_helm_shows_the_page_of_the_server_where_there_is_no_index_page() -> None:
    site, nothing = Site({"app.css": b"b{}"}), Rendering(Verdict.NO_OUTPUT, "no index page")
    repaired = HELM.repair(site, nothing)
    assert repaired is not None
    assert repaired.repair.kind is RepairKind.NOT_FOUND_PAGE
    assert b"Not Found" in repaired.document.files["index.html"]
    assert HELM.repair(repaired.document, nothing, (repaired.repair,)) is None
    assert PAPER.repair(site, nothing) is None


def test_every_other_verdict_is_final() -> None:
    for verdict in Verdict:
        if verdict is not Verdict.NO_OUTPUT:
            assert HELM.repair(Site({}), Rendering(verdict)) is None


@given(st.text(max_size=60))
def test_any_answer_gives_a_site_that_can_be_sent_or_a_reason(completion: str) -> None:
    for task in (PAPER, HELM):
        structure = task.structure_from(completion)
        if not isinstance(structure, NoStructure):
            for name in task.document(structure).files:
                name.encode()


def test_a_name_that_no_message_can_hold_is_replaced() -> None:
    assert list(site_of({"\ud800.html": "\ud800"}, {}).files) == ["?.html"]


def test_sites_with_other_content_have_other_sources() -> None:
    one, two = site_of({"a": "x"}, {}), site_of({"a": "y"}, {})
    assert one.source != two.source
    assert one.source.endswith("  a\n")
