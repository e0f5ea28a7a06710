import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.extract import extract
from i2s_sdk.tasks.structure import NoStructure, Origin, Structure
from i2s_wire.metrics.profile import Profile

COMPLETIONS = st.text(alphabet="`~ \nlatex\\{}$%", max_size=80)


@pytest.mark.parametrize("info", ["latex", "tex", "LaTeX", "", "tikz", "text", 'latex title="x"'])
def test_paper_takes_any_info_string(info: str) -> None:
    assert extract(f"Here:\n```{info}\n$x$\n```", Profile.PAPER) == Structure("$x$", Origin.FENCE)


def test_paper_takes_the_longest_block_of_the_language() -> None:
    completion = "```latex\n$x$\n```\n```latex\n$x + y$\n```\n```python\nprint('much longer than that')\n```"
    assert extract(completion, Profile.PAPER) == Structure("$x + y$", Origin.FENCE)


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
def test_paper_code_is_a_trimmed_stretch_of_the_completion(completion: str) -> None:
    structure = extract(completion, Profile.PAPER)
    if isinstance(structure, Structure):
        assert structure.code in completion
        assert structure.code == structure.code.strip() != ""


@given(st.text(alphabet="ab \n\\{}$%", max_size=60).filter(str.strip))
def test_paper_extraction_of_bare_code_is_idempotent(code: str) -> None:
    once = extract(code, Profile.PAPER)
    assert isinstance(once, Structure)
    assert extract(once.code, Profile.PAPER) == once


@given(COMPLETIONS, st.sampled_from(Profile))
def test_extraction_always_answers(completion: str, profile: Profile) -> None:
    assert isinstance(extract(completion, profile), Structure | NoStructure)
