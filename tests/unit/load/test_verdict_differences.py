"""Which differences between two recordings count, and which are explained."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from verdict_differences import (
    Explanation,
    Record,
    Way,
    differences,
    differences_of_tiers,
    needless,
    read_explanations,
    read_records,
    unexplained,
)

ROOT, LANDLOCK, ORDINARY = Way("root", "namespace"), Way("root", "landlock"), Way("ordinary", "namespace")
TIME = Record("a.py::t[x]", ROOT, "1.1", "TIME_LIMIT", "CPU seconds")
MEMORY = replace(TIME, verdict="MEMORY_LIMIT", limit="bytes of memory")
DRAWN = Record("a.py::t[x]", ROOT, "2.1", "RENDERED", "", ("aa", "bb"))


def test_equal_recordings_do_not_differ_whatever_their_order():
    assert differences([TIME, DRAWN], [DRAWN, TIME]) == []


@pytest.mark.parametrize(
    "other",
    [
        MEMORY,
        replace(TIME, limit="on the clock"),
        replace(TIME, pictures=("aa",)),
        None,
    ],
    ids=["verdict", "limit", "picture", "missing"],
)
def test_each_difference_is_found_and_said(other):
    found = differences([TIME, DRAWN], [DRAWN] + ([other] if other else []))
    assert [(one.test, one.ordinal, one.before, one.after) for one in found] == [
        ("a.py::t[x]", "1.1", TIME, other)
    ]
    assert str(found[0]).startswith(
        "a.py::t[x], result 1.1, namespace, root: TIME_LIMIT (CPU seconds), then "
    )


def test_a_result_that_a_quiet_machine_did_not_have_is_a_difference():
    assert len(differences([TIME], [TIME, DRAWN])) == 1


def test_what_races_may_differ_between_runs_and_between_tiers():
    first, second = replace(TIME, racing="two limits"), replace(MEMORY, racing="two limits")
    assert differences([first], [second]) == []
    assert differences_of_tiers([first, replace(second, way=LANDLOCK)]) == []


def test_tiers_and_users_are_compared_with_namespaces_of_root():
    records = [TIME, replace(MEMORY, way=LANDLOCK), replace(TIME, way=ORDINARY), replace(DRAWN, way=ORDINARY)]
    found = differences_of_tiers(reversed(records))
    assert [(one.ways, one.ordinal) for one in found] == [
        ((ROOT, LANDLOCK), "1.1"),
        ((ROOT, ORDINARY), "2.1"),
    ]


def test_tests_of_one_tier_alone_are_not_compared():
    assert differences_of_tiers([TIME, replace(MEMORY, test="b.py::t", way=LANDLOCK)]) == []


def explained(**given):
    return Explanation(**{"test": "a.py::t[*", "way": "landlock, *", "verdicts": (), "why": "x", **given})


def test_an_explanation_covers_the_verdicts_that_it_names_in_its_way_alone():
    (found,) = differences_of_tiers([TIME, replace(MEMORY, way=LANDLOCK)])
    assert explained(test="a.py::t[*", verdicts=("MEMORY_LIMIT",)).covers(found)
    assert not explained(test="a.py::t[*", verdicts=("CRASHED",)).covers(found)
    assert not explained(test="a.py::t[*").covers(found)
    assert not explained(test="a.py::u[*", verdicts=("MEMORY_LIMIT",)).covers(found)
    assert not explained(test="a.py::t[*", verdicts=("MEMORY_LIMIT",), way="namespace, *").covers(found)


def test_results_that_one_way_lacks_are_explained_by_none_alone():
    found = differences_of_tiers([TIME, DRAWN, replace(TIME, way=LANDLOCK)])
    assert unexplained(found, [explained(test="a.py::t[*", verdicts=("none",))]) == []
    assert unexplained(found, [explained(test="a.py::t[*", verdicts=("RENDERED",))]) == found
    assert unexplained(found, [explained(test="a.py::t[*")]) == found


def test_an_explanation_without_verdicts_covers_pictures_and_limits():
    (found,) = differences_of_tiers([DRAWN, replace(DRAWN, way=LANDLOCK, pictures=("aa", "cc"))])
    assert unexplained([found], [explained(test="a.py::t[x]")]) == []
    assert unexplained([found], []) == [found]


def test_an_explanation_of_what_does_not_differ_is_needless():
    known = [explained(test="a.py::t[x]", verdicts=("MEMORY_LIMIT",))]
    records = [TIME, replace(TIME, way=LANDLOCK)]
    assert list(needless([], known, records)) == known
    assert list(needless([], known, [TIME])) == []  # recorded in one way, which shows nothing
    differing = [TIME, replace(MEMORY, way=LANDLOCK)]
    assert list(needless(differences_of_tiers(differing), known, differing)) == []


def test_lines_are_read_as_they_are_recorded(tmp_path):
    file = tmp_path / "file"
    line = {
        "test": "a.py::t[x]",
        "tier": "namespace",
        "user": "root",
        "ordinal": "2.1",
        "verdict": "RENDERED",
        "limit": "",
        "pictures": ["aa", "bb"],
        "racing": "",
    }
    file.write_text(json.dumps(line) + "\n")
    assert read_records(file) == [DRAWN]


def test_the_list_of_explained_differences_can_be_read():
    assert all(known.why and known.test.startswith("tests/security/") for known in read_explanations())
