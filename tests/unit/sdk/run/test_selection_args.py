"""The arguments that all who begin a run share."""

import pytest

from i2s_sdk import dry_run, evaluate, generate
from i2s_sdk.data import Shard
from i2s_sdk.errors import UsageError
from i2s_sdk.run.selection_args import SelectionArgs, resolve_selection
from i2s_sdk.settings import Settings
from i2s_wire.metrics.profile import Profile


def test_without_arguments_all_is_taken_by_the_profile_of_the_settings():
    settings = Settings(profile="helm")
    choice = resolve_selection(None, settings)
    assert choice.profile is Profile.HELM
    assert choice.instances == choice.whole == tuple(choice.data.instances)


def test_each_argument_takes_its_part():
    settings = Settings()
    wanted: SelectionArgs = {"profile": "helm", "tasks": ["latex"], "limit": 4, "seed": 7, "shard": "1/2"}
    choice = resolve_selection(None, settings, **wanted)
    assert choice.profile is Profile.HELM
    assert list(choice.tasks) == ["latex"]
    assert len(choice.whole) == 4
    assert choice.selection.seed == 7
    assert choice.selection.shard == Shard.parse("1/2")


def test_an_unknown_task_is_an_error_of_the_caller():
    with pytest.raises(UsageError, match="poetry"):
        resolve_selection(None, Settings(), tasks=["poetry"])


@pytest.mark.parametrize("begin", [evaluate, generate, dry_run])
def test_an_argument_that_does_not_exist_is_named_before_anything_begins(begin, tmp_path):
    with pytest.raises(TypeError, match="unexpected keyword argument sample_ids; there are profile, tasks"):
        begin(out=tmp_path / "run", sample_ids=["a"])
    assert not (tmp_path / "run").exists()
