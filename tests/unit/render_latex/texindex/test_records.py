"""Trials that were made before stand for those whose circumstances are the same."""

from collections.abc import Mapping

import pytest

from i2s_render_latex.texindex.records import Records, TrialRecords, pack_records, unpack_records
from i2s_render_latex.texindex.trial import Trial

ASKED = [f"name{letter}" for letter in "abcdefghijk"]
FILES = {"a.sty": "1", "b.sty": "2"}
SHOWN = Trial(frozenset({"namea", "namei", "namek"}), frozenset({"a.sty", "none.cfg"}))


def records_with(
    earlier: Records, files: Mapping[str, str] = FILES, identity: str = "engine"
) -> TrialRecords:
    return TrialRecords([earlier], identity, lambda name: files.get(name, ""))


@pytest.fixture
def earlier() -> Records:
    first = records_with({})
    first.keep("a", ASKED, SHOWN)
    first.keep("broken", ASKED, Trial(None, frozenset({"b.sty"})))
    return unpack_records(pack_records(first.used))


def test_a_trial_in_the_same_circumstances_is_known(earlier: Records) -> None:
    again = records_with(earlier)
    assert again.find("a", ASKED) == SHOWN
    assert again.find("broken", ASKED) == Trial(None, frozenset({"b.sty"}))
    assert again.used == earlier


@pytest.mark.parametrize(
    "files", [FILES | {"a.sty": "changed"}, FILES | {"none.cfg": "installed"}, {"b.sty": "2"}]
)
def test_a_trial_is_not_known_when_a_file_that_it_looked_for_differs(
    earlier: Records, files: Mapping[str, str]
) -> None:
    assert records_with(earlier, files).find("a", ASKED) is None


def test_files_that_a_trial_did_not_look_for_make_no_difference(earlier: Records) -> None:
    assert records_with(earlier, FILES | {"b.sty": "changed"}).find("a", ASKED) == SHOWN


def test_a_trial_is_not_known_for_other_names_or_another_engine(earlier: Records) -> None:
    assert records_with(earlier).find("a", ASKED[1:]) is None
    assert records_with(earlier, identity="newer").find("a", ASKED) is None
    assert records_with(earlier).find("other", ASKED) is None


def test_a_trial_that_was_stopped_is_not_kept() -> None:
    records = records_with({})
    records.keep("a", ASKED, Trial(None, None))
    assert records.used == {}


def test_equal_records_are_packed_to_equal_bytes(earlier: Records) -> None:
    assert pack_records(dict(reversed(list(earlier.items())))) == pack_records(earlier)


@pytest.mark.parametrize("packed", [b"", b"no records", pack_records({})[:-9]])
def test_what_is_no_record_is_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="no records of trials"):
        unpack_records(packed)
