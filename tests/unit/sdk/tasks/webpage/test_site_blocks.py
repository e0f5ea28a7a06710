"""Sites whose files stand in blocks of their own."""

import pytest

from i2s_sdk.tasks import NoStructure, RepairKind
from i2s_sdk.tasks.webpage.paper_files import find_files

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
