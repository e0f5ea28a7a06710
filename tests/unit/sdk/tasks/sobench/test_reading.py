"""JSON values of completions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.repair import RepairKind
from i2s_sdk.tasks.sobench.reading import extract, read_answer
from i2s_sdk.tasks.structure import BlockChoice, NoStructure, Origin, Structure
from i2s_wire.metrics.profile import Profile

PAPER, REFERENCE = Profile.PAPER, Profile.HELM
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def _reason(completion: str, profile: Profile) -> str:
    found = extract(completion, profile)
    assert isinstance(found, NoStructure)
    return found.reason


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(
    ("completion", "code", "origin"),
    [
        ('```json\n{"a": 1}\n```', '{"a": 1}', Origin.FENCE),
        ('Here it is:\n```json\n{"a": 1}\n```\nDone.', '{"a": 1}', Origin.FENCE),
        ("```\n[1, 2]\n```", "[1, 2]", Origin.FENCE),
        ('  {"a": 1}\n', '{"a": 1}', Origin.BARE),
        ("7", "7", Origin.BARE),
    ],
)
def test_the_json_of_a_completion(completion: str, code: str, origin: Origin, profile: Profile) -> None:
    assert extract(completion, profile) == Structure(code, origin)


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(
    "completion",
    ["", "  ", "I cannot.", "```json\n```", "{'a': 1}", '{"a": 1', "undone"],
)
def test_what_is_not_json_has_a_reason(completion: str, profile: Profile) -> None:
    assert _reason(completion, profile)


def test_profile_reference_loses_letters_at_the_end_of_a_bare_value() -> None:
    assert isinstance(extract("true", REFERENCE), NoStructure)
    assert extract("true", PAPER) == Structure("true", Origin.BARE)
    assert extract('{"a": 1} returned', REFERENCE) == Structure('{"a": 1}', Origin.BARE)


def test_profile_reference_takes_the_first_block_whatever_it_is() -> None:
    assert extract("```json\n1\n```\n```json\n2\n```", REFERENCE) == Structure("1", Origin.FENCE)
    assert extract('```json\n{"a": 1}\n```<turn_end>', REFERENCE) == Structure('{"a": 1}', Origin.FENCE)
    assert extract('{"a": 1}<turn_end>', REFERENCE) == Structure('{"a": 1}', Origin.BARE)
    said = "```python\nx = 1\n```\n```json\n[1]\n```"
    assert isinstance(extract(said, REFERENCE), NoStructure)
    assert extract('```{"a": 1}```', REFERENCE) == Structure('{"a": 1}', Origin.FENCE)
    assert isinstance(extract('```json\n{"a": 1}', REFERENCE), NoStructure)


def test_profile_paper_reads_a_fence_that_was_not_closed_and_skips_one_of_another_language() -> None:
    assert extract('```json\n{"a": 1}', PAPER) == Structure('{"a": 1}', Origin.UNCLOSED_FENCE)
    said = "```python\nx = 1\n```\n```json\n[1]\n```"
    assert extract(said, PAPER) == Structure("[1]", Origin.FENCE, choice=BlockChoice(2, (2,)))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```json\n1\n```\n```json\n2\n```", "2"),
        ("```json\n1\n```\n```json\n{", "1"),
        ('The answer is {"a": 1}, as shown [1].', '{"a": 1}'),
        ('Maybe {"a": 1}. No: {"a": {"b": 2}}', '{"a": {"b": 2}}'),
        ("The list is [1, 2].", "[1, 2]"),
    ],
)
def test_profile_paper_takes_the_last_json_of_an_answer(text: str, code: str) -> None:
    structure = extract(text, PAPER)
    assert isinstance(structure, Structure)
    assert structure.code == code


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"b": 1}, "c": ',
        'Here it is: {"a": {"b": 1}, "c": ',
        '```json\n{"a": [{"b": 1}], "c": ',
        '{"items": [{"x": 1}, {"x": 2}, {"x"',
        "{'a': {\"b\": 1}}",
    ],
)
def test_a_part_of_json_that_cannot_be_read_is_no_answer(text: str) -> None:
    assert _reason(text, PAPER)


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"a": 1,}', {"a": 1}), (r'{"a": "\d"}', {"a": r"\d"}), ('{"a": "b\nc"}', {"a": "b\nc"})],
)
def test_faults_with_one_reading_are_a_repair_of_profile_paper(text: str, value: object) -> None:
    structure = extract(text, PAPER)
    assert isinstance(structure, Structure)
    assert read_answer(structure.code, PAPER) == value
    assert [repair.kind for repair in structure.repairs] == [RepairKind.MEND_JSON]
    assert isinstance(extract(text, REFERENCE), NoStructure)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": NaN}', "NaN is not a number of JSON"),
        ("[-Infinity]", "-Infinity is not a number of JSON"),
        ('{"a": 1, "a": 2}', "an object has the name 'a' twice"),
        ("[1e400]", "beyond the range of floating point numbers"),
    ],
)
def test_only_profile_reference_reads_what_python_reads_beyond_json(text: str, reason: str) -> None:
    assert reason in _reason(text, PAPER)
    assert extract(text, REFERENCE) == Structure(text, Origin.BARE)


def test_of_two_fields_of_one_name_the_later_one_counts_in_profile_reference() -> None:
    assert read_answer('{"a": 1, "a": 2}', REFERENCE) == {"a": 2}


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(
    "text",
    ["[" * 10_000 + "]" * 10_000, "[" * 1_000_000, '{"a":' * 10_000 + "1" + "}" * 10_000, "9" * 5_001],
    ids=["lists", "brackets", "objects", "integer"],
)
def test_what_is_beyond_a_bound_has_a_reason(text: str, profile: Profile) -> None:
    assert "not JSON" in _reason(text, profile)
    assert len(_reason(text, profile)) < 400


@pytest.mark.parametrize("profile", Profile)
def test_lone_surrogates_are_read(profile: Profile) -> None:
    assert read_answer('"\\ud800"', profile) == "\ud800"


@given(_JSON)
def test_a_value_that_is_fenced_is_read_as_it_is(value: object) -> None:
    text = json.dumps(value)
    found = extract(f"```json\n{text}\n```", PAPER)
    assert isinstance(found, Structure)
    assert read_answer(found.code, PAPER) == value


@given(st.text('`{}[]",:json \nnul1e9', max_size=60))
def test_every_completion_is_read_or_has_a_reason(text: str) -> None:
    for profile in Profile:
        found = extract(text, profile)
        if isinstance(found, Structure):
            read_answer(found.code, profile)
        else:
            assert found.reason
