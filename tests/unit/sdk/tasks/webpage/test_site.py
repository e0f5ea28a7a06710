"""Names of files in an answer, in both profiles; what is sent is what the renderer's own rules take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.renderer.bounds import check_names
from i2s_sdk.tasks import NoStructure, RepairKind
from i2s_sdk.tasks.webpage import WebpageTask
from i2s_sdk.tasks.webpage.site import SiteStructure, as_json
from i2s_wire.metrics.profile import Profile

PAPER, HELM = WebpageTask(Profile.PAPER), WebpageTask(Profile.HELM)
INDEX = {"index.html": "<h1>Hi</h1>"}

PARTS = st.sampled_from(
    ["a", "A", "css", "s.css", "index.html", ".", "..", "", "\\", "x\0", "é", "e\u0301", "\ud800"]
)
NAMES = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


def files(task: WebpageTask, listed: dict[str, str], assets: list[str] | None = None) -> dict[str, str]:
    structure = task.structure_from(as_json(listed), assets or [])
    assert isinstance(structure, SiteStructure), structure
    return dict(structure.files)


def repairs(listed: dict[str, str], assets: list[str] | None = None) -> list[RepairKind]:
    structure = PAPER.structure_from(as_json(listed), assets or [])
    assert isinstance(structure, SiteStructure), structure
    return [repair.kind for repair in structure.repairs]


@pytest.mark.parametrize(
    "name", ["./css/s.css", "/css/s.css", "css//s.css", "css/./s.css", "a/../css/s.css", "css\\s.css"]
)
def test_paper_normalises_an_ordinary_name_and_records_it(name: str) -> None:
    listed = {**INDEX, name: "b{}"}
    assert files(PAPER, listed) == {**INDEX, "css/s.css": "b{}"}
    assert repairs(listed) == [RepairKind.NORMALIZE_NAME]


def test_paper_finds_the_index_page_behind_a_dot_and_records_it() -> None:
    listed = {"./index.html": "x"}
    assert files(PAPER, listed) == {"index.html": "x"}
    assert repairs(listed) == [RepairKind.NORMALIZE_NAME]


@pytest.mark.parametrize("name", ["css/", "../s.css", "css/../../s.css", "", ".", "/", "a\0b"])
def test_paper_leaves_out_what_lies_in_no_site_and_records_it(name: str) -> None:
    listed = {**INDEX, name: "b{}"}
    assert files(PAPER, listed) == INDEX
    assert repairs(listed) == [RepairKind.LEAVE_OUT_FILE]


def test_paper_has_no_structure_where_nothing_is_left() -> None:
    structure = PAPER.structure_from(as_json({"../index.html": "x"}))
    assert isinstance(structure, NoStructure)
    assert "leads out of the site" in structure.reason


def test_a_record_of_many_names_is_short() -> None:
    structure = PAPER.structure_from(
        as_json({**INDEX, **{f"./{number}{'x' * 300_000}": "" for number in range(9)}})
    )
    assert isinstance(structure, SiteStructure)
    (repair,) = structure.repairs
    assert repair.detail.endswith("and 6 more")
    assert len(repair.detail) < 500


def test_plain_names_are_no_repair() -> None:
    assert repairs({**INDEX, "css/s.css": "b{}", ".nojekyll": ""}) == []


def test_an_asset_wins_over_a_file_whose_name_becomes_its_name() -> None:
    listed = {**INDEX, "./img/a.png": "mine"}
    for task in (PAPER, HELM):
        structure = task.structure_from(as_json(listed), ["img/a.png"])
        assert isinstance(structure, SiteStructure)
        document = task.document(structure, {"img/a.png": b"theirs"})
        assert (dict(document.files), dict(document.assets)) == (
            {"index.html": b"<h1>Hi</h1>"},
            {"img/a.png": b"theirs"},
        )


def test_names_that_differ_in_case_cost_one_file_and_never_the_index_page() -> None:
    listed = {"Index.html": "twin", **INDEX}
    assert files(PAPER, listed) == INDEX
    assert repairs(listed) == [RepairKind.LEAVE_OUT_FILE]
    assert files(HELM, listed) == INDEX


@pytest.mark.parametrize("names", [("index.html", "./index.html"), ("css/s.css", "css//s.css")])
def test_of_two_names_that_become_one_the_later_file_of_the_answer_counts(names: tuple[str, str]) -> None:
    plain = names[0]
    others = {} if plain in INDEX else INDEX
    for first, second in (names, names[::-1]):
        listed = {**others, first: "first", second: "second"}
        assert files(PAPER, listed) == {**others, plain: "second"}
        assert repairs(listed) == [RepairKind.NORMALIZE_NAME]


def test_helm_writes_the_later_of_two_files_for_one_index_page() -> None:
    assert files(HELM, {"./index.html": "first", "index.html": "second"}) == {"index.html": "second"}


@pytest.mark.parametrize("index", ["index.html", "./index.html"])
def test_no_index_page_is_left_out_for_a_twin_that_stands_before_it(index: str) -> None:
    assert files(PAPER, {"Index.html": "twin", index: "x"}) == {"index.html": "x"}


def test_helm_finds_the_index_page_behind_a_dot_and_records_nothing() -> None:
    structure = HELM.structure_from(as_json({"./index.html": "x"}))
    assert isinstance(structure, SiteStructure)
    assert (dict(structure.files), structure.repairs) == ({"index.html": "x"}, ())


@pytest.mark.parametrize("name", ["./css/s.css", "css//s.css", "css/../css/s.css"])
def test_helm_writes_a_name_joined_to_the_folder(name: str) -> None:
    assert files(HELM, {**INDEX, name: "b{}"}) == {**INDEX, "css/s.css": "b{}"}


@pytest.mark.parametrize("name", ["/css/s.css", "../s.css", "css/../../s.css"])
def test_helm_shows_the_page_without_a_file_that_was_written_outside(name: str) -> None:
    assert files(HELM, {**INDEX, name: "b{}"}) == INDEX


@pytest.mark.parametrize(
    "listed",
    [
        {"css/": ""},
        {"": ""},
        {"css": "", "css/s.css": ""},
        {"css/s.css": "", "css": ""},
        {"x" * 256: ""},
        {"a\0b": ""},
    ],
)
def test_helm_has_no_structure_where_the_file_could_not_be_opened(listed: dict[str, str]) -> None:
    structure = HELM.structure_from(as_json({**INDEX, **listed}))
    assert isinstance(structure, NoStructure)
    assert "names of the list" in structure.reason


@given(
    st.dictionaries(NAMES | st.text(max_size=8), st.just("x"), min_size=1, max_size=6),
    st.lists(st.sampled_from(["a", "css/s.css"]), unique=True),
)
def test_what_is_sent_is_what_the_renderer_takes(listed: dict[str, str], assets: list[str]) -> None:
    for task in (PAPER, HELM):
        structure = task.structure_from(as_json(listed), assets)
        if isinstance(structure, SiteStructure):
            document = task.document(structure, dict.fromkeys(assets, b""))
            assert check_names(document.files, assets) is None
