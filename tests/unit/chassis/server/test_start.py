"""Starts that something outside disturbs."""

import pytest

from i2s_chassis.errors import StartError, StartKilledError, WarmKilledError
from i2s_chassis.jail.errors import CellLostError, KilledError
from i2s_chassis.server.start import undisturbed


class Start:
    """A start that fails for some causes, one after the other, and then succeeds."""

    def __init__(self, *causes: Exception | None) -> None:
        self.causes, self.begun = list(causes), 0

    async def __call__(self) -> str:
        self.begun += 1
        if self.causes:
            raise StartError("no start") from self.causes.pop(0)
        return "started"


async def test_a_start_begins_again_when_a_process_that_it_needs_was_killed() -> None:
    assert await undisturbed(Start(KilledError("one"), CellLostError("two"))) == "started"


async def test_the_kill_may_be_the_cause_of_a_cause() -> None:
    middle = RuntimeError("no browser")
    middle.__cause__ = WarmKilledError("killed")
    assert await undisturbed(Start(middle)) == "started"


async def test_a_start_that_is_disturbed_each_time_says_so() -> None:
    start = Start(*(KilledError("killed") for _ in range(3)))
    with pytest.raises(StartKilledError, match="no start"):
        await undisturbed(start)
    assert start.begun == 3


async def test_what_is_missing_here_is_not_tried_again() -> None:
    start = Start(None, None)
    with pytest.raises(StartError) as failed:
        await undisturbed(start)
    assert (start.begun, type(failed.value)) == (1, StartError)
