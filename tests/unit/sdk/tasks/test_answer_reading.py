"""The one way from a completion to a structure."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from i2s_sdk.tasks.answer_reading import read_answer
from i2s_sdk.tasks.registry import TASKS as ALL_TASKS
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.structure import Absence, NoStructure, Structure
from i2s_wire.metrics.profile import Profile

CODES = {
    "latex": "\\[ x \\]",
    "music": "{ c4 }",
    "chart": "import matplotlib.pyplot as plt\nplt.plot([1])",
    "webpage": '[{"filename": "index.html", "content": "<p>"}]',
    "scimage": "import matplotlib.pyplot as plt\nplt.plot([1])",
    "sobench": '{"a": 1}',
    "element_ground": "C",
    "webqa": "12 crowns",
    "readoc": "# A\n\nText",
}
TASKS = pytest.mark.parametrize("name", CODES)


def structure(name: str, completion: str, profile: Profile = Profile.PAPER) -> Structure | NoStructure:
    return read_answer(open_task(name, profile), completion).structure


def code(name: str, completion: str) -> str:
    found = structure(name, completion)
    assert isinstance(found, Structure), found
    return found.code


@TASKS
@pytest.mark.parametrize(
    "form", ["<think>a</think>{}", "a</think>\n{}", "{}<|im_end|>", "<answer>{}</answer>"]
)
def test_reasoning_and_markers_change_no_structure(name: str, form: str) -> None:
    assert code(name, form.format(CODES[name])) == code(name, CODES[name])


@TASKS
def test_a_completion_that_ends_in_reasoning_has_no_structure(name: str) -> None:
    found = structure(name, f"<think>maybe {CODES[name]}")
    assert isinstance(found, NoStructure)
    assert found.absence is Absence.ENDED_IN_REASONING


@TASKS
def test_a_refusal_is_told_apart_from_other_answers(name: str) -> None:
    found = structure(name, "<think>No.</think>I'm sorry, but I can't help with that.")
    assert isinstance(found, NoStructure)
    assert found.absence is Absence.REFUSED


@TASKS
def test_profile_helm_reads_the_completion_verbatim(name: str) -> None:
    read = read_answer(open_task(name, Profile.HELM), f"<think>a</think>{CODES[name]}")
    assert read.answer.text == read.answer.completion
    assert not (
        isinstance(read.structure, NoStructure) and read.structure.absence is not Absence.NO_STRUCTURE
    )


def test_each_page_of_a_document_is_read_by_itself() -> None:
    pages = ["<think>a</think>```markdown\n# A\n```", "<think>never", "b</think>B"]
    assert open_task("readoc").join(pages) == "# A\n\n\n\nB"
    assert open_task("readoc", Profile.HELM).join(["<think>a</think>A"]) == "<think>a</think>A"


PIECES = [
    *("```", "~~~", "`", "\r", "\n", "\r\n", "\0", "a", " ", "latex", "python", "json", "svg", "=", ".", ":"),
    *("{", "}", "[", "]", '"', "'", "\\", "$", "&#", "<svg ", "<html>", ">", "---\n", "**kern", "\ud800"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=4).map("".join))
@example("```\ra")
def test_every_answer_is_read_by_all_tasks(completion: str) -> None:
    for name in ALL_TASKS:
        for profile in Profile:
            assert isinstance(structure(name, completion, profile), Structure | NoStructure)


@TASKS
@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_change_no_structure(name: str, end: str) -> None:
    for form in ("{}", "Here it is:\n\n```\n{}\n```\n\nDone.") if name != "readoc" else ("{}",):
        answer = form.format(CODES[name])
        assert structure(name, answer.replace("\n", end)) == structure(name, answer)
