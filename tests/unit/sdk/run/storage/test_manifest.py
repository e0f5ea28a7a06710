"""Options of a run that is resumed."""

from __future__ import annotations

import pytest

from i2s_sdk.errors import RunConflictError
from run_folders import options


def test_a_run_keeps_the_metrics_that_it_was_begun_with_when_there_are_new_ones() -> None:
    before, now = options(metrics={"ems": "1"}), options(metrics={"ems": "1", "edit_tex": "1"})
    now.require_same(before, "here")
    assert now.differences(before)
    for changed in ({"ems": "2", "edit_tex": "1"}, {"edit_tex": "1"}):
        with pytest.raises(RunConflictError, match="metrics"):
            options(metrics=changed).require_same(before, "here")
