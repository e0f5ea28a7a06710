"""Sites whose files stand in blocks of their own."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks import NoStructure, Origin, RepairKind
from i2s_sdk.tasks.webpage.reading import find_files
from i2s_sdk.tasks.webpage.site import SiteStructure, as_json

PAGE = (
    '<html><head><link href="css/main.css" rel="stylesheet"></head>'
    '<body><script src="a.js"></script></body></html>'
)


def files_of(*blocks: str) -> dict[str, str]:
    structure = find_files("\n".join(blocks))
    assert not isinstance(structure, NoStructure), structure
    return dict(structure.files)


@pytest.mark.parametrize(
    ("blocks", "names"),
    [
        (["```html index.html\n<p>\n```", "```css style.css\na {}\n```"], ["index.html", "style.css"]),
        (
            ["**index.html**\n```html\n<p>\n```", "### `css/a.css`\n```css\na {}\n```"],
            ["index.html", "css/a.css"],
        ),
        (
            ["```html\n<!-- index.html -->\n<p>\n```", "```css\n/* a.css */\na {}\n```"],
            ["index.html", "a.css"],
        ),
        (["```html\n<p>\n```", "```js\n// b.js\nx()\n```"], ["index.html", "b.js"]),
        (
            [f"```html\n{PAGE}\n```", "```css\na {}\n```", "```javascript\nx()\n```"],
            ["index.html", "css/main.css", "a.js"],
        ),
        (
            ["```html\n<p>\n```", "```css\na {}\n```", "```js\nx()\n```"],
            ["index.html", "style.css", "script.js"],
        ),
        (
            ["```yaml _config.yml\na: b\n```", "```markdown index.md\n# A\n```", "```html\n<p>\n```"],
            ["_config.yml", "index.md", "index.html"],
        ),
        (
            ["**about.html**\n```html\n<p>\n```", "**index.html**\n```html\n<p>\n```"],
            ["about.html", "index.html"],
        ),
        (["```html page.html\n<p>\n```", "```css\na {}\n```"], ["index.html", "style.css"]),
        (
            [
                "Put this into `style.css` and link it in `index.html`:\n```css\na {}\n```",
                "```html\n<p>\n```",
            ],
            ["style.css", "index.html"],
        ),
        (["```html\n<p>\n```", "```bash\njekyll serve\n```"], ["index.html"]),
        (["```html\n<p>\n```", '**data.json**\n```json\n{"a": 1}\n```'], ["index.html", "data.json"]),
    ],
)
def test_each_file_of_an_answer_has_its_name(blocks: list[str], names: list[str]) -> None:
    assert list(files_of(*blocks)) == names


def test_of_two_pages_without_name_the_last_complete_document_counts() -> None:
    draft, page, cut = "<html>draft</html>", "<!-- x --><html>page</html>", "<html>cut"
    assert files_of(
        f"```html\n{draft}\n```", f"```html\n{page}\n```", "```html\n<p>part\n```", f"```html\n{cut}"
    ) == {"index.html": page}


def test_of_two_blocks_with_one_name_the_last_counts() -> None:
    assert files_of("```html\n<p>\n```", "```css a.css\nold\n```", "```css a.css\nnew\n```")["a.css"] == "new"


def test_blocks_that_are_joined_are_a_recorded_repair() -> None:
    structure = find_files("```html\n<p>\n```\n```css\na {}\n```")
    assert not isinstance(structure, NoStructure)
    assert [(repair.kind, repair.detail) for repair in structure.repairs] == [
        (RepairKind.JOIN_BLOCKS, "index.html, style.css")
    ]
    assert structure.choice.taken == (1, 2)


@pytest.mark.parametrize(
    ("blocks", "files"),
    [
        (
            [
                '```json\n{"filename": "index.html", "content": "a"}',
                '{"filename": "a.css", "content": "b"}\n```',
            ],
            {"index.html": "a", "a.css": "b"},
        ),
        (
            [
                '```json\n{"filename": "index.html", "content": "a"}\n```',
                '```json\n{"filename": "a.css", "content": "b"}\n```',
            ],
            {"index.html": "a", "a.css": "b"},
        ),
        (
            [
                '```json\n[{"filename": "index.html", "content": "draft"}]\n```',
                '```json\n[{"filename": "index.html", "content": "a"}]\n```',
            ],
            {"index.html": "a"},
        ),
        (
            [
                '```json\n[{"filename": "index.html", "content": "a"}]\n```',
                '```json\n[{"filename": "index.html", "content": "cut',
            ],
            {"index.html": "a"},
        ),
        (['```json\n{"files": [{"path": "index.html", "content": "a"}]}\n```'], {"index.html": "a"}),
        (
            [
                'Draft: [{"filename": "index.html", "content": "d"}]',
                'Final: [{"filename": "index.html", "content": "a"}]',
            ],
            {"index.html": "a"},
        ),
        (
            ['```json\n[{"filename": "index.html", "content": "a"}]\n```', "```css\na {}\n```"],
            {"index.html": "a"},
        ),
    ],
)
def test_lists_of_files_with_other_names_are_one_site_and_with_the_same_a_correction(
    blocks: list[str], files: dict[str, str]
) -> None:
    assert files_of(*blocks) == files


@pytest.mark.parametrize("answer", ["```css\na {}\n```", "```bash\nls\n```", '```json\n{"a": "b"}\n```'])
def test_an_answer_without_a_page_is_no_site(answer: str) -> None:
    assert isinstance(find_files(answer), NoStructure)


FILES = {"index.html": "<h1>Hi</h1>", "css/style.css": "h1 { color: red }"}
LISTED = as_json(FILES)
NAMES = st.text(min_size=1, max_size=12)
SITES = st.dictionaries(NAMES, st.text(max_size=40), min_size=1, max_size=4)


def found(completion: str) -> SiteStructure:
    structure = find_files(completion)
    assert isinstance(structure, SiteStructure), structure
    return structure


@pytest.mark.parametrize(
    "completion",
    [
        LISTED,
        f"Here you go:\n```json\n{LISTED}\n```\nEnjoy!",
        f"```\n{LISTED}\n```",
        f"Sure. {LISTED} Enjoy!",
        json.dumps(FILES),
        f"```json\n{json.dumps(FILES)}\n```",
    ],
)
def test_a_list_or_an_object_of_files_is_taken_without_repair(completion: str) -> None:
    structure = found(completion)
    assert structure.files == FILES
    assert structure.repairs == ()
    assert json.loads(structure.code)[0] == {"filename": "index.html", "content": "<h1>Hi</h1>"}


def test_a_single_file_needs_no_list() -> None:
    assert found(json.dumps({"filename": "index.html", "content": "x"})).files == {"index.html": "x"}


def test_backticks_inside_of_a_file_do_not_end_the_list() -> None:
    files = {"index.html": "<pre>```\ncode\n```</pre>"}
    assert found(f"```json\n{as_json(files)}\n```").files == files


def test_an_unclosed_fence_is_no_repair_but_is_known() -> None:
    structure = found(f"```json\n{LISTED}")
    assert (structure.origin, structure.repairs) == (Origin.UNCLOSED_FENCE, ())


@pytest.mark.parametrize("fence", ["", "```json\n"])
def test_a_list_that_was_cut_off_is_closed_with_what_there_is_of_its_last_file(fence: str) -> None:
    structure = found(f'{fence}[{{"filename": "index.html", "content": "<p>some \\"te')
    assert structure.files == {"index.html": '<p>some "te'}
    assert [repair.kind for repair in structure.repairs] == [RepairKind.SALVAGE_JSON]
    assert "Unterminated string" in structure.repairs[0].error


def test_a_list_that_was_cut_off_between_two_files_loses_the_second() -> None:
    cut = LISTED[: LISTED.index("css/style.css")]
    structure = found(cut)
    assert structure.files == {"index.html": "<h1>Hi</h1>"}
    assert structure.repairs[0].detail == "without its last item"


def test_raw_line_breaks_inside_of_texts_are_a_recorded_repair() -> None:
    structure = found('[{"filename": "index.html", "content": "<p>\n</p>"}]')
    assert structure.files == {"index.html": "<p>\n</p>"}
    assert [repair.kind for repair in structure.repairs] == [RepairKind.MEND_JSON]


@pytest.mark.parametrize(
    "completion",
    [
        "<!DOCTYPE html>\n<html><body>x</body></html>",
        "Here it is: <!DOCTYPE html>\n<html><body>x</body></html> Enjoy!",
        "```html\n<!DOCTYPE html>\n<html><body>x</body></html>\n```",
        "```\n<!DOCTYPE html>\n<html><body>x</body></html>\n```",
        "```html\n<!DOCTYPE html>\n<html><body>x</body></html>",
    ],
)
def test_a_bare_document_is_the_index_page_by_a_recorded_repair(completion: str) -> None:
    structure = found(completion)
    assert structure.files == {"index.html": "<!DOCTYPE html>\n<html><body>x</body></html>"}
    assert [repair.kind for repair in structure.repairs] == [RepairKind.HTML_AS_INDEX]


def test_an_object_inside_of_a_script_is_no_list_of_files() -> None:
    code = '<html><script>var a = {"a": "b"}; var b = [{"c": 1}];</script></html>'
    assert found(code).files == {"index.html": code}


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("I am sorry.", "neither a JSON list of files nor an HTML document"),
        ("[]", "empty"),
        ("[1, 2]", "file 1"),
        ('[{"filename": "a", "content": null}]', "file 1"),
        ('["index.html"]', "file 1"),
        ('{"index.html": {"a": 1}}', "file 1"),
        ("[" * 100_000, "not JSON"),
        ("[" + "9" * 10_000 + "]", "not JSON"),
        ('[{"filename": "a" "content": "b"}]', "not JSON"),
    ],
)
def test_where_there_are_no_files_the_reason_is_told(completion: str, reason: str) -> None:
    structure = find_files(completion)
    assert isinstance(structure, NoStructure)
    assert reason in structure.reason


@given(SITES)
def test_what_was_listed_is_found_again(files: dict[str, str]) -> None:
    for completion in (as_json(files), f"```json\n{as_json(files)}\n```", f"Files: {as_json(files)}"):
        assert found(completion).files == files


@given(SITES, st.data())
def test_a_cut_list_keeps_every_file_before_the_cut(files: dict[str, str], data: st.DataObject) -> None:
    listed = as_json(files)
    cut = listed[: data.draw(st.integers(1, len(listed) - 1))]
    structure = find_files(cut)
    if isinstance(structure, NoStructure):
        return
    names = list(files)
    kept = list(structure.files)
    assert kept[: len(kept) - 1] == names[: len(kept) - 1]
    for name in kept[:-1]:
        assert structure.files[name] == files[name]


@given(st.text(alphabet='[]{}",:\\ `\nfilenamcot<html>', max_size=80))
def test_any_answer_gives_files_or_a_reason(completion: str) -> None:
    structure = find_files(completion)
    assert structure.reason if isinstance(structure, NoStructure) else structure.files
