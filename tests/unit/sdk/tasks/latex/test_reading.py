from textwrap import dedent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.reading import extract
from i2s_sdk.tasks.structure import Absence, BlockChoice, NoStructure, Origin, Structure
from i2s_wire.metrics.profile import Profile

COMPLETIONS = st.text(alphabet="`~ \nlatex\\{}$%", max_size=80)


@pytest.mark.parametrize("info", ["latex", "tex", "LaTeX", "", "tikz", "text", 'latex title="x"'])
def test_paper_takes_any_info_string(info: str) -> None:
    assert extract(f"Here:\n```{info}\n$x$\n```", Profile.PAPER) == Structure("$x$", Origin.FENCE)


@pytest.mark.parametrize(
    ("blocks", "taken"),
    [
        (["latex\n$x + y$", "latex\n$x$", "python\nprint('much longer than that')"], [2]),
        (["latex\n\\usepackage{amsmath}\n% more\n\\tikzset{a/.style={red}}", "latex\n$x$"], [1, 2]),
        (["latex\n\\newcommand{\\x}{$x$}", "\n$x + y + z$", "latex\n\\x"], [1, 3]),
        (["latex\n$x$", "latex\n\\usepackage{amsmath}"], [1]),
        (
            [
                "latex\n\\usepackage{amsmath}",
                "latex\n\\documentclass{article}\\begin{document}x\\end{document}",
            ],
            [2],
        ),
        (["\n$x$", "bash\npdflatex a"], [1]),
        (["latex\n\\documentclass{article}\\begin{document}x\\end{document}", "latex\n$x$"], [1]),
        (
            [
                "latex\n\\usepackage{amsmath}",
                "latex\n\\documentclass{article}\\begin{document}x\\end{document}",
                "latex\n\\documentclass{article}\\begin{document}y\\end{document}",
                "latex\n\\usepackage{bm}",
                "latex\n$z$",
            ],
            [3],
        ),
        (["text\n$x$", "python\nprint()"], [1]),
        (["python\nprint()", "pseudocode\nx"], [2]),
        (["text\n$x$", "text\n$y$"], [2]),
    ],
)
def test_paper_takes_the_last_block_with_a_body_and_the_preambles_before_it(
    blocks: list[str], taken: list[int]
) -> None:
    structure = extract("\n".join(f"```{block}\n```" for block in blocks), Profile.PAPER)
    assert isinstance(structure, Structure)
    assert structure.choice == BlockChoice(len(blocks), tuple(taken))
    assert structure.code == "\n".join(blocks[number - 1].partition("\n")[2] for number in taken)


@pytest.mark.parametrize("text", ["Hello", "I see a table with 3 rows.", "Sorry, I can't (it costs $5)."])
def test_prose_without_fences_is_no_structure_for_paper(text: str) -> None:
    assert isinstance(extract(text, Profile.PAPER), NoStructure)


@pytest.mark.parametrize(
    "text", ["E = mc^2", "x^2", "α β", "a < b", "\\textbf{Hello}", "```\nHello\n```", "`$x$`"]
)
def test_anything_with_mathematics_a_command_or_a_fence_is_a_structure_for_paper(text: str) -> None:
    structure = extract(text, Profile.PAPER)
    assert isinstance(structure, Structure)
    assert structure.code == text.strip("`\n")


@pytest.mark.parametrize("language", ["python", "Python plot.py", "{.r}", "c++", "html", "json", "index.js"])
def test_a_program_in_another_language_is_no_latex(language: str) -> None:
    for text in ("```{}\nplt.plot(x, label='$x^2$')\n```", "```bash\npip install x\n```\n```{}\nx = 1"):
        structure = extract(text.format(language), Profile.PAPER)
        assert isinstance(structure, NoStructure)
        assert structure.absence is Absence.NO_STRUCTURE


def test_paper_closes_the_fence_of_a_truncated_answer() -> None:
    assert extract("```latex\n\\begin{align}\na", Profile.PAPER) == Structure(
        "\\begin{align}\na", Origin.UNCLOSED_FENCE
    )


def test_paper_takes_a_completion_without_fence_as_code() -> None:
    assert extract("  $x$\n", Profile.PAPER) == Structure("$x$", Origin.BARE)


@pytest.mark.parametrize("completion", ["", " \n\t", "```latex\n```"])
def test_paper_finds_no_structure_in_nothing(completion: str) -> None:
    assert isinstance(extract(completion, Profile.PAPER), NoStructure)


def test_helm_leaves_the_info_string_of_a_tex_fence_in_the_code() -> None:
    assert extract("```tex\n$x$\n```", Profile.HELM) == Structure("tex\n$x$\n", Origin.FENCE)


def test_helm_has_a_structure_even_for_nothing() -> None:
    assert extract("", Profile.HELM) == Structure("", Origin.BARE)


@given(COMPLETIONS)
def test_helm_cuts_nothing_but_a_stretch_of_the_completion(completion: str) -> None:
    structure = extract(completion, Profile.HELM)
    assert isinstance(structure, Structure)
    assert structure.code in completion


@given(COMPLETIONS)
@example(" \\\n \\")
def test_paper_code_is_a_trimmed_stretch_of_the_completion(completion: str) -> None:
    structure = extract(completion, Profile.PAPER)
    if isinstance(structure, Structure):
        assert structure.code in completion or structure.code in dedent(completion)
        assert structure.code == structure.code.strip() != ""


@given(st.text(alphabet="ab \n\\{}$%", max_size=60).map(lambda text: f"${text}"))
def test_paper_extraction_of_bare_code_is_idempotent(code: str) -> None:
    once = extract(code, Profile.PAPER)
    assert isinstance(once, Structure)
    assert extract(once.code, Profile.PAPER) == once


@given(COMPLETIONS, st.sampled_from(Profile))
def test_extraction_always_answers(completion: str, profile: Profile) -> None:
    assert isinstance(extract(completion, profile), Structure | NoStructure)
