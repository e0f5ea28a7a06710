"""Patterns mean what ECMA 262 says, and what only other dialects know keeps its meaning."""

from __future__ import annotations

import socket
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.sobench.json_schema import (
    MAX_ECMA_LENGTH,
    PatternError,
    follows_schema,
    is_python_pattern,
    occurs,
    require_pattern,
    schema_fault,
)
from i2s_wire.metrics.profile import Profile


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^\p{L}+$", "añ", True),
        (r"^\d+$", "12", True),
        (r"^\d+$", "٣", False),
        (r"^\w+$", "é", False),
        (r"^\s$", "\u3000", True),
        (r"\u{1F600}", "😀", True),
        (r"^.$", "😀", True),
        (r"(?<n>a)\k<n>", "aa", True),
        (r"(?<=\$)\d", "$5", True),
        (r"^a$", "a\n", False),
        (r"\cA", "\x01", True),
        (r"^[^]$", "\n", True),
        (r"^\d{3}\-\d{4}$", "123-4567", True),
        (r"^\_\@$", "_@", True),
        (r"\A\d{4}\Z", "2024", True),
        (r"\A\d{4}\Z", "A2024Z", False),
        (r"(?i)^abc$", "ABC", True),
        (r"^(?P<year>\d{4})$", "2024", True),
        (r"^a.b$", "a\ud800b", True),
        ("|".join(["ab"] * MAX_ECMA_LENGTH), "ab", True),
    ],
)
def test_a_pattern_occurs(pattern: str, text: str, found: bool) -> None:
    assert occurs(pattern, text) is found


@pytest.mark.parametrize("pattern", ["(", "[", "a{2,1}", "*", "(?<=", "(" * 5000 + ")" * 5000, "[" * 100_000])
def test_what_is_no_pattern_is_said_with_the_reason(pattern: str) -> None:
    with pytest.raises(PatternError, match="is no regular expression of ECMA 262: ") as raised:
        require_pattern(pattern)
    assert len(str(raised.value)) < 500


def test_very_many_alternatives_do_not_end_the_process() -> None:
    pattern = "|".join(f"ab{number}" for number in range(60_000))
    assert is_python_pattern(pattern)
    assert occurs(pattern, "ab777")


TREE = {
    "$defs": {
        "node": {"type": "object", "properties": {"c": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}
    },
    "$ref": "#/$defs/node",
}
USABLE: dict[str, Any] = {
    "boolean": True,
    "empty": {},
    "recursive": TREE,
    "anchor": {"$defs": {"a": {"$anchor": "here", "type": "object"}}, "$ref": "#here"},
    "metaschema": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
    "draft 7": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"a": {"type": "object"}},
        "properties": {"x": {"$ref": "#/definitions/a"}},
    },
    "draft 4": {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": True},
    "unknown draft": {"$schema": "https://example.org/of-our-own", "type": "object"},
    "a property that is called $ref": {"properties": {"$ref": {"type": "string"}}},
    "a pattern that Python cannot count": {"pattern": "a{1,99999999999999999999}"},
    "a pattern of ECMA 262": {"properties": {"a": {"pattern": r"^\p{L}+$"}}},
    "a pattern of Python": {"properties": {"a": {"pattern": r"(?i)\A(?P<year>\d{4})\Z"}}},
    "names of ECMA 262": {"patternProperties": {r"^(?<letters>\p{Lu}+)$": {}}},
    "dynamic": {"$dynamicAnchor": "node", "properties": {"c": {"$dynamicRef": "#node"}}},
}
FAULTY: dict[str, tuple[Any, str]] = {
    "a list": ([], "not list"),
    "no type": ({"type": "strin"}, "'strin'"),
    "deep inside": ({"properties": {"a": {"minLength": -1}}}, "#/properties/a/minLength"),
    "no pattern": ({"properties": {"a": {"pattern": "("}}}, "'(' is not a 'regex'"),
    "no pattern of a name": ({"patternProperties": {"[": {}}}, "'[' is not a 'regex'"),
    "a name that Python cannot match": (
        {"patternProperties": {r"^\p{L}": {}}, "unevaluatedProperties": False},
        "as unevaluatedProperties needs",
    ),
    "no such place": ({"properties": {"a": {"$ref": "#/$defs/b"}}}, "leads to nothing in the schema"),
    "no such anchor": ({"$ref": "#b"}, "leads to nothing"),
    "remote": ({"$ref": "http://127.0.0.1:9/schema.json"}, "nothing is fetched"),
    "remote by its base": ({"$id": "http://127.0.0.1:9/", "items": {"$ref": "b.json"}}, "nothing is fetched"),
    "a file": ({"$ref": "file:///etc/passwd"}, "nothing is fetched"),
    "itself": ({"$ref": "#"}, "leads back to itself"),
    "itself in three steps": (
        {
            "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"anyOf": [{}, {"$ref": "#/$defs/a"}]}},
            "properties": {"x": {"$ref": "#/$defs/a"}},
        },
        "leads back to itself",
    ),
    "itself, recursively": (
        {"$schema": "https://json-schema.org/draft/2019-09/schema", "allOf": [{"$recursiveRef": "#"}]},
        "leads back to itself",
    ),
    "no draft": ({"$schema": ["a"]}, "$schema"),
    "no identifier": ({"$id": "http://[::1"}, "identifiers cannot be read"),
}


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every attempt to reach an address, all of which fail."""
    found: list[object] = []

    def refused(*arguments: object, **_: object) -> None:
        found.append(arguments)
        raise OSError("tests reach no network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    return found


@pytest.mark.parametrize("name", USABLE)
def test_a_schema_that_can_be_used_has_no_fault(name: str) -> None:
    assert schema_fault(USABLE[name]) == ""


@pytest.mark.parametrize("name", FAULTY)
def test_a_schema_that_cannot_be_used_has_a_reason(name: str) -> None:
    schema, reason = FAULTY[name]
    assert reason in schema_fault(schema)
    assert len(schema_fault(schema)) < 600


@pytest.mark.parametrize(
    ("schema", "value"),
    [(FAULTY[name][0], [1]) for name in ("remote", "remote by its base", "a file")]
    + [
        ({"$schema": "http://127.0.0.1:9/", "$ref": "http://127.0.0.1:9/"}, 1),
        ({"$id": "http://127.0.0.1:9/a", "$ref": "b"}, 1),
    ],
)
def test_nothing_is_fetched_and_no_value_is_valid(schema: Any, value: Any, attempts: list[object]) -> None:
    assert schema_fault(schema)
    assert not follows_schema(value, schema)
    assert attempts == []


def test_the_fixture_sees_what_the_validator_alone_would_fetch(attempts: list[object]) -> None:
    with pytest.raises(Exception, match="Unresolvable"):
        jsonschema.validate([1], {"$ref": "http://127.0.0.1:9/schema.json"})
    assert attempts


@pytest.mark.parametrize(
    "name", ["a list", "no pattern", "no such place", "itself", "itself, recursively", "no draft"]
)
def test_what_the_validator_raises_on_allows_no_value(name: str) -> None:
    assert not follows_schema({"a": "x"}, FAULTY[name][0])


def test_a_schema_that_is_nested_too_deeply_is_a_fault() -> None:
    schema: dict[str, Any] = {}
    for _ in range(2_000):
        schema = {"properties": {"a": schema}}
    assert schema_fault(schema) == "it is nested too deeply"


def test_a_value_as_deep_as_answers_can_be_is_checked() -> None:
    value: dict[str, Any] = {}
    for _ in range(49):
        value = {"c": [value]}
    assert follows_schema(value, TREE)
    assert not follows_schema({"c": [value, {"c": 1}]}, TREE)


def test_formats_are_not_checked() -> None:
    assert follows_schema("no date", {"type": "string", "format": "date"})


def test_the_draft_that_a_schema_names_decides() -> None:
    schema = {"prefixItems": [{"type": "string"}]}
    assert not follows_schema([1], schema)
    assert follows_schema([1], {"$schema": "http://json-schema.org/draft-07/schema#", **schema})


_SCHEMAS = st.recursive(
    st.sampled_from(
        [
            {},
            {"type": "string"},
            {"type": ["integer", "null"]},
            {"minimum": 2},
            {"enum": [1, "a"]},
            {"minLength": 2},
        ]
    ),
    lambda inner: (
        st.builds(lambda one: {"type": "array", "items": one}, inner)
        | st.builds(lambda a, b: {"properties": {"a": a, "b": b}, "required": ["a"]}, inner, inner)
        | st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner)
    ),
    max_leaves=5,
)
_VALUES = st.recursive(
    st.none() | st.integers(0, 3) | st.sampled_from(["", "a", "abc"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)


@given(_SCHEMAS, _VALUES)
def test_what_the_released_code_finds_valid_is_valid(schema: Any, value: Any) -> None:
    assert schema_fault(schema) == ""
    try:
        jsonschema.validate(value, schema)
    except jsonschema.ValidationError:
        assert not follows_schema(value, schema)
    else:
        assert follows_schema(value, schema)


@pytest.mark.parametrize(
    ("value", "unit", "valid"),
    [
        (0.3, 0.1, True),
        (19.99, 0.01, True),
        (1.1, 0.1, True),
        (0.35, 0.1, False),
        (0.30000000000000004, 0.1, False),
        (4, 0.5, True),
        (7, 2, False),
        (1e308, 1e-10, True),
        (10**400, 0.1, True),
        (True, 2, True),
    ],
)
def test_decimal_numbers_are_multiples_as_they_are_written(value: Any, unit: float, valid: bool) -> None:
    assert follows_schema(value, {"multipleOf": unit}) is valid
    draft_3 = {"$schema": "http://json-schema.org/draft-03/schema#", "divisibleBy": unit}
    assert follows_schema(value, draft_3) is valid


def test_profile_reference_divides_in_binary() -> None:
    assert not follows_schema(0.3, {"multipleOf": 0.1}, Profile.HELM)


ECMA = {
    "type": "object",
    "patternProperties": {r"^\p{L}+$": {"type": "integer"}},
    "additionalProperties": False,
}


def test_patterns_are_those_of_ecma_262_in_profile_paper_alone() -> None:
    assert follows_schema("ab", {"pattern": r"^\p{L}+$"})
    assert not follows_schema("a1", {"pattern": r"^\p{L}+$"})
    assert not follows_schema("ab", {"pattern": r"^\p{L}+$"}, Profile.HELM)
    assert follows_schema({"añb": 1}, ECMA)
    assert not follows_schema({"añb": "1"}, ECMA)
    assert not follows_schema({"a1": 1}, ECMA)


def test_patterns_hold_where_a_reference_leads_back_to_a_schema_that_names_its_draft() -> None:
    draft = "https://json-schema.org/draft/2020-12/schema"
    schema = {"$schema": draft, "properties": {"a": {"$ref": "#"}, "b": {"multipleOf": 0.1}}, **ECMA}
    schema["patternProperties"] = {r"^\p{L}$": {}}
    assert follows_schema({"a": {"a": {"b": 0.3}}}, schema)
    assert not follows_schema({"a": {"a": {"b": 0.35}}}, schema)
    assert not follows_schema({"a": {"a": {"b2": 0.3}}}, schema)
