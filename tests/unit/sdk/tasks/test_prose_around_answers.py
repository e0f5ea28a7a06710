"""Answers without a fence that have prose, JSON, tags or marks around them."""

import json

import pytest

from i2s_sdk.tasks.answer_reading import read_answer
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.structure import Absence, NoStructure, Origin, Structure

ALIGN = "\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}"
DOCUMENT = "\\documentclass{article}\n\\begin{document}\n$x$\n\\end{document}"
PROGRAM = 'import matplotlib.pyplot as plt\n\nx = [1, 2]\nplt.plot(x, label="a")\nplt.show()'
SCORE = '\\version "2.24.0"\n\\score {\n  { c4 d e f }\n  \\layout { }\n}'
PAGE = '<!DOCTYPE html>\n<html>\n<body class="a">x</body>\n</html>'
IMAGE = '<svg xmlns="http://www.w3.org/2000/svg">\n<text x="1" y="1">"a"</text>\n</svg>'
BARE = {"latex": ALIGN, "chart": PROGRAM, "music": SCORE}
WRAPPED = {**BARE, "design2code": PAGE, "svg": IMAGE, "shapecode": "circle(cx=1, cy=2, radius=3, stroke=4)"}
LANGUAGES = {"latex": "latex", "chart": "python", "music": "lilypond", "design2code": "html", "svg": "svg"}
EACH = pytest.mark.parametrize("task", BARE)


def structure(task: str, completion: str) -> Structure | NoStructure:
    return read_answer(open_task(task), completion).structure


def code(task: str, completion: str) -> str:
    read = structure(task, completion)
    assert isinstance(read, Structure), read
    return read.code


@EACH
@pytest.mark.parametrize(
    "form", ["Here is the code:\n\n{}", "{}\n\nThis draws the image.", "Here it is.\n\n{}\n\n- It is done"]
)
def test_prose_around_code_is_left_out_and_known(task: str, form: str) -> None:
    read = structure(task, form.format(BARE[task]))
    assert read == Structure(BARE[task], Origin.EXCERPT)


@EACH
@pytest.mark.parametrize("form", ["{}", "\ufeff{}", "\u200b{}\u200b", "<think>a</think>\ufeff{}", " {}\n\n"])
def test_code_alone_is_taken_whole(task: str, form: str) -> None:
    assert structure(task, form.format(BARE[task])) == Structure(BARE[task], Origin.BARE)


@EACH
def test_code_within_json_or_elements_is_taken_out(task: str) -> None:
    answer, language = BARE[task], LANGUAGES[task]
    escaped = answer.replace("&", "&amp;")
    for form in (
        json.dumps(answer),
        json.dumps({"code": answer}),
        json.dumps({f"{language}_code": answer}),
        f"<{language}>\n{answer}\n</{language}>",
        f'<pre><code class="a">{escaped}</code></pre>',
    ):
        assert structure(task, form) == Structure(answer, Origin.EXCERPT)
    assert code(task, json.dumps(f"```{language}\n{answer}\n```")) == answer
    assert code(task, f"```json\n{json.dumps({'code': answer})}\n```") == answer
    assert code(task, f"<output>```{language}\n{answer}\n```</output>") == answer


@pytest.mark.parametrize("task", WRAPPED)
def test_code_in_a_field_of_json_is_read_by_all_tasks(task: str) -> None:
    answer, language = WRAPPED[task], LANGUAGES.get(task, "code")
    fenced = f"```{LANGUAGES.get(task, '')}\n{answer}\n```"
    for held in (
        {"code": answer},
        {language: answer},
        {"thought": "It has a title.", "answer": answer},
        {"thought": "It has a title.", "answer": fenced},
    ):
        for text in (json.dumps(held), json.dumps(held, indent=1), str(held)):
            for form in ("{}", "```json\n{}\n```", "Here it is:\n\n```json\n{}\n```\n\nDone."):
                assert code(task, form.format(text)) == answer
    assert code(task, json.dumps({"thought": "x", "code": answer})[:-2]) == answer


def test_json_that_names_files_is_a_site() -> None:
    for held in ({"filename": "a.html", "content": PAGE}, {"name": "a.html", "code": PAGE}, {"a.html": PAGE}):
        (file,) = json.loads(code("webpage", json.dumps(held)))
        assert file == {"filename": "a.html", "content": PAGE}


@pytest.mark.parametrize("task", ["omnidocbench", "olmocrbench", "readoc"])
def test_a_document_in_json_or_behind_front_matter_is_read(task: str) -> None:
    document = '# A\n\n"x" & $y$\n\n```py\nx\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |'
    olmocr = {"primary_language": "en", "is_rotation_valid": True, "rotation_correction": 0}
    for held in ({"markdown": document}, {**olmocr, "natural_text": document}, {"text": document}):
        for form in ("{}", "```json\n{}\n```", "The document:\n\n```json\n{}\n```\n\nLet me know!"):
            assert code(task, form.format(json.dumps(held))) == document
    matter = "".join(f"{name}: {value}\n" for name, value in olmocr.items())
    assert code(task, f"---\n{matter}---\n{document}") == document
    assert code(task, f"```markdown\n---\n{matter}---\n{document}\n```") == document
    for own in (
        f'# Call\n\n```json\n{{"text": "x"}}\n```\n\n{document}',
        '```json\n{"a": "x"}\n```',
        f"---\ntitle: x\n---\n{document}",
        f"```html\n<p>\n```\n\nand\n\n```html\n<b>\n```\n\n{document}",
        "```py\nx\n```",
    ):
        assert code(task, own) == own


@pytest.mark.parametrize("language", ["html", "latex"])
def test_a_page_in_a_fence_of_another_language_is_read(language: str) -> None:
    for task in ("omnidocbench", "olmocrbench"):
        assert code(task, f"```{language}\n<table></table>\n```") == "<table></table>"
    assert code("readoc", f"```{language}\nx\n```") == f"```{language}\nx\n```"  # a listing, as pages have


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Here is the LaTeX code:\n\n$$x^2$$\n\nThis is a square.", "$$x^2$$"),
        ("The LaTeX code is:\n\n\\[\nx\n\\]", "\\[\nx\n\\]"),
        ("The LaTeX code is `x^2`.", "x^2"),
        ("Here is the LaTeX code: $x^2$", "$x^2$"),
        ("The LaTeX code is:\n\n\\frac{a}{b} + c", "\\frac{a}{b} + c"),
        (f"Sure:\n\n{DOCUMENT}\n\nCompile it.", DOCUMENT),
        ("图片中的公式:\n\n$$x^2$$", "$$x^2$$"),
        ("**$x^2$**", "$x^2$"),
    ],
)
def test_the_formula_that_prose_announces_is_the_answer(answer: str, expected: str) -> None:
    assert code("latex", answer) == expected


@pytest.mark.parametrize(
    "display", ["\\[\nE = mc^2\n\\]", "$$E = mc^2$$", "\\begin{equation}\nE = mc^2\n\\end{equation}"]
)
@pytest.mark.parametrize(
    "form",
    [
        "The LaTeX is:\n\n{}\n\nwhere $E$ is the energy.",
        "{}\n\nHere, $E$ is the energy, $m$ the mass, and \\(c\\) the speed of light.",
        "The image shows the energy $E$ of a body:\n\n{}",
        "{}\nwhere \\(E\\) is the energy",
        "The formula is:\n\n{}\n\nWhere:\n- \\( E \\): energy\n- \\( m \\): mass",
        "{}\n\nMake sure to include `\\usepackage{{amsmath}}` in the preamble.",
        "Add \\usepackage{{amsmath}} before this:\n\n{}",
        "The $\\LaTeX$ code:\n\n{}",
        "The \\LaTeX{{}} code:\n\n{}\n\nUse the `align` environment or `\\begin{{gather}}` for more lines.",
        "{}\n\nHere c = the speed of light.",
        "{}\n\n- E = energy\n- m = mass",
        "A formula of R&D:\n\n{}",
        "The LaTeX code is\n{}\nwhere $E$ is the energy.",
    ],
)
def test_an_explanation_of_the_only_display_is_left_out(form: str, display: str) -> None:
    assert structure("latex", form.format(display)) == Structure(display, Origin.EXCERPT)


@pytest.mark.parametrize(
    "answer",
    [
        "The formula $E = mc^2$ needs `amsmath`.",
        "Consider the energy\n\\[ E \\]\nof a body with mass $m$.",
        "We have a + b =\n\\[ c \\]",
        "\\[ c \\]\n+ some more words",
        "Let $f$ be smooth. Then\n\\[ f(x) = 0 \\]\nfor all $x$.",
        "det A = \\begin{vmatrix} a \\end{vmatrix}",
        "\\begin{a}x\\end{a}y",
        "First $$a$$ and then $$b$$",
        "\\section{One}\nSome words.\n\\[ x \\]",
        "Some words.\n\\[ x",
        f"% My comment of several words\n{DOCUMENT}",
    ],
)
def test_text_that_is_part_of_the_latex_stays(answer: str) -> None:
    assert structure("latex", answer) == Structure(answer, Origin.BARE)


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("latex", "The image shows a screenshot of the file main_window.py in an editor."),
        ("latex", "The receipt shows a total of $12.50."),
        ("latex", "The image shows the logo of Johnson & Johnson."),
        ("latex", "The image shows a flow: A -> B -> C."),
        ("chart", "The chart shows sales (in thousands) by year."),
        ("chart", "Title: Sales\nUnits (k)\nValues: 2020=3, 2021=5"),
    ],
)
def test_signs_that_stand_in_prose_too_make_no_code(task: str, answer: str) -> None:
    read = structure(task, answer)
    assert isinstance(read, NoStructure)
    assert read.absence is Absence.NO_STRUCTURE


@pytest.mark.parametrize(
    "answer", [PROGRAM[:60], f"improt os\n{PROGRAM} (", f"Some words\n\n{PROGRAM}", f"{PROGRAM}\nx ="]
)
def test_a_program_that_is_broken_or_cut_off_is_not_mended_by_leaving_lines_out(answer: str) -> None:
    assert structure("chart", answer) == Structure(answer, Origin.BARE)


def test_an_example_of_a_change_is_no_program() -> None:
    change = "```python\nplt.plot(z, color='red')\n```"
    assert code("chart", f"```python\n{PROGRAM}\n```\nTo change the color:\n{change}") == PROGRAM


def test_the_preamble_belongs_to_the_document_behind_it() -> None:
    first, second = DOCUMENT.split("\n", 1)
    assert code("latex", f"```latex\n{first}\n```\n```latex\n{second}\n```") == DOCUMENT


def test_blocks_of_music_that_need_each_other_are_one_score() -> None:
    definition, score, change = "melody = { c4 }", "\\score { \\melody }", "\\tempo 4 = 120"
    blocks = "\n".join(f"```lilypond\n{one}\n```" for one in (definition, score, change))
    assert code("music", blocks) == f"{definition}\n{score}"
    assert code("music", f"```lilypond\n{{ d4 }}\n```\n```lilypond\n{score}\n```") == score


def test_a_block_of_latex_comes_before_commands_of_a_shell() -> None:
    assert code("scimage", f"```latex\n{DOCUMENT}\n```\n```bash\npdflatex a.tex\n```") == DOCUMENT


@pytest.mark.parametrize(
    "answer",
    [
        "[{'filename': 'index.html', 'content': '<p class=\"a\">x</p>'}]",
        '[{"filename": "index.html", "content": """<p>x</p>"""}]',
        json.dumps('[{"filename": "index.html", "content": "<p>x</p>"}]'),
        "Here is the page:\n\n<div><h1>x</h1></div>\n\nIt is done.",
        "<body><p>x</p></body>",
    ],
)
def test_sites_in_other_notations_are_read(answer: str) -> None:
    assert [file["filename"] for file in json.loads(code("webpage", answer))] == ["index.html"]


def test_a_field_that_python_has_twice_is_no_list_of_files() -> None:
    assert isinstance(
        structure("webpage", "[{'filename': 'a.html', 'content': '', 'content': ''}]"), NoStructure
    )


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('Here: {"a": 1,}\nDone.', '{"a": 1}'),
        ('Here: [{"a": 1}] as asked [1].', '[{"a": 1}]'),
        ('`{"a": 1}`', '{"a": 1}'),
        (json.dumps('{"a": 1}'), '{"a": 1}'),
    ],
)
def test_json_within_an_answer_is_found(answer: str, expected: str) -> None:
    assert code("sobench", answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Here is the Markdown:\n\n```markdown\n# A\n```\n\nLet me know!", "# A"),
        ("Here is the document:\n```markdown\n# A\n\n```py\nx\n```\n```", "# A\n\n```py\nx\n```"),
        ("```markdown\r\n# A\r\n```", "# A"),
        ("The tag `</think>` ends it.", "The tag `</think>` ends it."),
        ("Write a list:\n\n```markdown\n- a\n```", "Write a list:\n\n```markdown\n- a\n```"),
    ],
)
def test_the_document_that_an_answer_announces_is_read(answer: str, expected: str) -> None:
    assert code("readoc", answer) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "Answer: 12 crowns",
        "**Answer:** 12 crowns",
        "The final answer is: 12 crowns",
        "\\boxed{12 crowns}",
        "$\\boxed{\\text{12 crowns}}$",
        '{"answer": "12 crowns"}',
    ],
)
def test_what_announces_an_answer_to_a_question_is_no_part_of_it(answer: str) -> None:
    assert code("webqa", answer) == "12 crowns"


@pytest.mark.parametrize(
    "answer",
    [
        "A. x B. y C. z",
        "(A) home (B) about (C) contact",
        "A: home, B: about, C: contact",
        "Vitamin C",
        "The link says Plan B.",
    ],
)
def test_lists_of_all_letters_and_names_with_a_letter_are_no_choice(answer: str) -> None:
    assert isinstance(structure("element_ground", answer), NoStructure)


@pytest.mark.parametrize(
    "answer", ["Option B", "Button B", "B. Home", "A. x B. y C. z. The answer is B.", "Therefore B"]
)
def test_letters_behind_other_words_are_choices(answer: str) -> None:
    assert code("element_ground", answer) == "B"


@pytest.mark.parametrize(
    "answer",
    [
        "I'd be happy to help! However, I don't see an image in our conversation.",
        "It seems you forgot to attach the image.",
        "There doesn't appear to be an image attached to your message.",
        "I'm just a language model, so I can't help you with that.",
        "Unfortunately, the image is too blurry for me to read.",
        "No image provided.",
        "I notice that no image was attached.",
        "很遗憾，我看不到您提供的图片。",
        "죄송합니다. 이미지를 볼 수 없습니다.",
        "Leider kann ich keine Bilder sehen.",
    ],
)
def test_refusals_in_other_words_are_refusals(answer: str) -> None:
    read = structure("latex", answer)
    assert isinstance(read, NoStructure)
    assert read.absence is Absence.REFUSED
