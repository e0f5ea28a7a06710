"""Options of a run that is resumed."""

from __future__ import annotations

import pytest

from i2s_sdk.errors import RunConflictError
from i2s_sdk.run.storage.manifest import Manifest
from run_folders import options


def test_a_run_keeps_the_metrics_that_it_was_begun_with_when_there_are_new_ones() -> None:
    before, now = options(metrics={"ems": "1"}), options(metrics={"ems": "1", "edit_tex": "1"})
    now.require_same(before, "here")
    assert now.differences(before)
    for changed in ({"ems": "2", "edit_tex": "1"}, {"edit_tex": "1"}):
        with pytest.raises(RunConflictError, match="metrics"):
            options(metrics=changed).require_same(before, "here")


def test_a_label_is_no_option_of_a_run_and_manifests_of_earlier_versions_have_none() -> None:
    named = Manifest(options(), about={"label": "first try"})
    assert named.label == "first try"
    assert not named.options.differences(options(), resuming=True)
    assert Manifest.parse(Manifest(options(), about={"data": "set"}).to_json().encode(), "here").label == ""
