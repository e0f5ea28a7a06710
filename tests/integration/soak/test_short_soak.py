"""The short form of `make test SUITE=soak`: all renderers, few jobs and few kills."""

import pytest

from soak_command import soak

pytestmark = pytest.mark.integration

JOBS, ACTIONS = 12, 4
#: Number of hostile sources of all four renderers, each of which is rendered once before.
HOSTILE_SOURCES = 23


@pytest.mark.nightly(instead="killed programs of each renderer, and hostile sources of the security suite")
@pytest.mark.timeout(900)
def test_good_pictures_stay_the_same_and_nothing_is_kept_while_processes_are_killed():
    ended, found = soak("--jobs", JOBS, "--actions", ACTIONS, "--service-deaths", 1, "--checkpoints", 2)
    assert (found["faults"], found["held"]) == ([], []), ended.stderr
    assert ended.returncode == 0
    assert found["kills"] + found["stops"] == ACTIONS
    assert found["good"] >= JOBS
    assert found["hostile"] == JOBS + HOSTILE_SOURCES
    assert found["orphans"] == 0
    assert len(found["services"]) == 4
