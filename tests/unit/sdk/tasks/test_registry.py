import pytest

from i2s_sdk.data.instance import TASKS as DATA_TASKS
from i2s_sdk.errors import UnknownNameError
from i2s_sdk.profile import Profile
from i2s_sdk.tasks.registry import TASKS, open_task


def test_there_is_a_task_for_every_kind_of_instance() -> None:
    assert set(TASKS) == set(DATA_TASKS)
    for name in TASKS:
        for profile in Profile:
            task = open_task(name, profile)
            assert (task.name, task.profile) == (name, profile)
            assert task.image_metrics[0] == "ems"


def test_an_unknown_task_is_told_what_was_perhaps_meant() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'webpage'"):
        open_task("webpages")
