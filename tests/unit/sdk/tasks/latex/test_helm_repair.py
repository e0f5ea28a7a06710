import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks import RepairKind, render_with_repairs
from i2s_sdk.tasks.latex import LatexDocument, LatexTask
from i2s_sdk.tasks.latex.helm_document import helm_document
from i2s_sdk.tasks.latex.helm_repair import HOPELESS, repair
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.source_error import SourceError


@pytest.mark.parametrize("message", ["Missing $ inserted.", "Error: \\mathbb allowed only in math mode."])
def test_maths_outside_of_math_mode_is_put_between_dollars(message: str) -> None:
    result = repair(helm_document("\\alpha"), SourceError(message))
    assert result is not None
    assert result.document.source.endswith("\\begin{document}$$\\alpha$$\\end{document}")
    assert result.repair.kind is RepairKind.WRAP_MATH


def test_dollars_pile_up_as_often_as_they_are_missed() -> None:
    task = LatexTask(Profile.HELM)
    refused = Rendering(Verdict.COMPILE_ERROR, error=SourceError("Missing $ inserted."))
    attempts = render_with_repairs(task, helm_document("x_1"), lambda document: refused)
    assert len(attempts.repairs) == 3
    assert attempts.document.source.endswith("\\begin{document}$$$$$$x_1$$$$$$\\end{document}")


def test_the_namesake_of_an_environment_is_loaded_and_removed_again() -> None:
    document = helm_document("\\begin{tabularx}x\\end{tabularx}")
    result = repair(document, SourceError("LaTeX Error: Environment tabularx undefined."))
    assert result is not None
    assert (result.repair.kind, result.repair.detail) == (RepairKind.ADD_NAMESAKE, "tabularx")
    assert "\\usepackage{tabularx}" not in result.document.source


def test_an_environment_named_like_a_fixed_package_ends_the_attempts() -> None:
    document = helm_document("\\begin{tikz}x\\end{tikz}")
    assert repair(document, SourceError("LaTeX Error: Environment tikz undefined.")) is None


@pytest.mark.parametrize("phrase", HOPELESS)
def test_some_errors_end_the_attempts_even_with_a_repair_in_reach(phrase: str) -> None:
    assert repair(helm_document("x"), SourceError(f"{phrase} Missing $ inserted")) is None


def test_other_errors_have_no_repair() -> None:
    assert repair(helm_document("x"), SourceError("Paragraph ended before \\frac was complete.")) is None


MESSAGES = st.sampled_from(["Missing $ inserted", "LaTeX Error: Environment x undefined", "?"])


@given(st.lists(MESSAGES, min_size=1))
def test_repairs_end_after_three(messages: list[str]) -> None:
    task = LatexTask(Profile.HELM)
    seen: list[LatexDocument] = []

    def refuse(document: LatexDocument) -> Rendering:
        seen.append(document)
        return Rendering(Verdict.COMPILE_ERROR, error=SourceError(messages[len(seen) % len(messages)]))

    render_with_repairs(task, helm_document("x"), refuse)
    assert len(seen) <= 4
