"""A program that something outside kills before it has begun has an end like any other."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import cast

import pytest

from i2s_chassis.jail import Tier
from i2s_chassis.jail.cgroup import ControlGroup
from i2s_chassis.jail.launch import CellContext, RunRequest, launch
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.jail.workspace import Workspace
from i2s_chassis.limits import Limits

PLAN = CellPlan(
    name="one",
    tier=Tier.NONE,
    limits=Limits(),
    uid=None,
    readable=(),
    folder="/none",
    private_mount=False,
    new_user=False,
    poll_seconds=1,
    patience=1,
    groups=None,
    bwrap="",
)


class KillingGroup:
    """A control group that programs are killed in when they are added to it."""

    def __init__(self, *, gone: bool) -> None:
        self.gone = gone

    def add(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        if self.gone:  # as the kernel says it of a process that has ended
            raise ProcessLookupError


@pytest.mark.parametrize("gone", [True, False])
@pytest.mark.parametrize("followed", [True, False])
def test_a_program_that_is_killed_before_it_begins_has_an_end(gone: bool, followed: bool) -> None:
    group = cast("ControlGroup", KillingGroup(gone=gone))
    context = CellContext(replace(PLAN, followed=followed), cast("Workspace", None), None, group, -1, {})
    launched = launch(context, RunRequest(("true",), {}, None, 1.0, 1.0), frozenset())
    assert os.waitpid(launched.pid, 0) == (launched.pid, signal.SIGKILL)
    assert os.read(launched.failure_fd, 100) == b""
    for fd in (launched.output_fd, launched.failure_fd, launched.status_fd):
        os.close(fd)
