"""The keeper of one cell: makes it, runs programs in it one after the other, cleans it up.

One process for each cell, forked by the spawner, outside of all walls. It does what the
service asks over a socket that no program ever holds, and when that socket closes, for
whatever reason, it kills and removes everything and ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
from dataclasses import asdict

from i2s_chassis.jail import cgroup, framing, syscalls
from i2s_chassis.jail.errors import CellError, OutputError
from i2s_chassis.jail.framing import Head
from i2s_chassis.jail.model import Ended, PolicyEvent, PolicyKind, Tier
from i2s_chassis.jail.namespace import Sandbox
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.jail.run import Run, RunRequest
from i2s_chassis.jail.workspace import Workspace


class Keeper:
    """Owns the cell's folder, sandbox and control group."""

    def __init__(self, plan: CellPlan, control: socket.socket) -> None:
        """Make the cell.

        Raises:
            OSError, CellError: Some part of it cannot be made.
        """
        self._plan = plan
        self._control = control
        self._closers = contextlib.ExitStack()
        self._cpu_left = plan.limits.cpu_seconds
        self._wall_left = plan.limits.wall_seconds
        try:
            self._make()
        except BaseException:
            self._closers.close()
            raise

    def _make(self) -> None:
        plan = self._plan
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
        if plan.private_mount:
            enter_private_mounts(new_user=plan.new_user)
        limits = plan.limits
        self._workspace = Workspace(plan.host_workdir, plan.owner, limits, mounted=plan.private_mount)
        self._closers.callback(self._workspace.remove)
        self._group: cgroup.Group | None = None
        if plan.groups is not None:
            # Files of a tmpfs count as memory of the group, beside that of the processes.
            memory = limits.memory_bytes + limits.disk_bytes
            # One more for the process that holds the door of the sandbox.
            self._group = cgroup.Group(
                plan.groups, f"i2s-{plan.name}", memory_bytes=memory, processes=limits.processes + 1
            )
            self._closers.callback(self._group.remove)
        self._sandbox: Sandbox | None = None
        if plan.tier is Tier.NAMESPACE:
            self._sandbox = Sandbox(plan)
            self._closers.callback(self._sandbox.close)

    def serve(self) -> None:
        """Do what is asked until the other end goes away."""
        framing.send(self._control, {"ok": True})
        while (message := framing.receive(self._control)) is not None:
            head, body = message
            try:
                answer, payload = self._answer(head, body)
            except OutputError as error:
                answer, payload = {"error": "output", "name": error.name, "reason": error.reason.value}, b""
            except (OSError, CellError) as error:
                answer, payload = {"error": "cell", "message": str(error)}, b""
            framing.send(self._control, answer, payload)

    def _answer(self, head: Head, body: bytes) -> tuple[Head, bytes]:
        operation = head["op"]
        if operation == "run":
            return self._run(head)
        if operation == "write":
            self._workspace.write(head["name"], body)
            return {"ok": True}, b""
        if operation == "read":
            return {"ok": True}, self._workspace.read(head["name"], head["max_bytes"])
        if operation == "excerpt":
            excerpt = self._workspace.excerpt(head["name"], head["head"], head["tail"])
            lengths = {"head": len(excerpt.head), "total": excerpt.total_bytes}
            return {"ok": True, **lengths}, excerpt.head + excerpt.tail
        if operation == "list":
            return {"ok": True, "files": self._workspace.files()}, b""
        raise CellError(f"unknown operation {operation!r}")

    def _run(self, head: Head) -> tuple[Head, bytes]:
        request = RunRequest(
            argv=tuple(head["argv"]),
            env=head["env"],
            probe=head.get("probe"),
            cpu_seconds=min(self._cpu_left, head["cpu_seconds"] or self._cpu_left),
            wall_seconds=min(self._wall_left, head["wall_seconds"] or self._wall_left),
        )
        run = Run(self._plan, request, self._workspace, self._sandbox, self._group, self._control)
        ended = run.until_the_end()
        self._cpu_left = max(0.0, self._cpu_left - ended.usage.cpu_seconds)
        self._wall_left = max(0.0, self._wall_left - ended.usage.wall_seconds)
        return _describe(ended, self._irregular()), ended.output.head + ended.output.tail

    def _irregular(self) -> list[PolicyEvent]:
        names = self._workspace.irregular()
        return [PolicyEvent(PolicyKind.IRREGULAR_OUTPUT, name[:200]) for name in names[:10]]

    def close(self) -> None:
        """Kill, unmount and remove everything."""
        self._closers.close()


def _describe(ended: Ended, irregular: list[PolicyEvent]) -> Head:
    events = [[int(event.kind), event.detail, event.count] for event in (*ended.events, *irregular)]
    return {
        "ok": True,
        "cause": ended.cause.value,
        "exit_code": ended.exit_code,
        "signal": ended.signal,
        "usage": asdict(ended.usage),
        "events": events,
        "head": len(ended.output.head),
        "total": ended.output.total_bytes,
    }


def enter_private_mounts(*, new_user: bool) -> None:
    """Move the calling process into a mount namespace of its own.

    Raises:
        OSError: It may not.
    """
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.CLONE_NEWNS | (syscalls.CLONE_NEWUSER if new_user else 0))
    if new_user:
        for file, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{uid} {uid} 1"),
            ("gid_map", f"{gid} {gid} 1"),
        ):
            with open(f"/proc/self/{file}", "w") as target:
                target.write(text)
    syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)


def keep(plan: CellPlan, control: socket.socket) -> None:
    """Be the keeper of a cell until its control socket closes; never returns."""
    status = 0
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches us too; the service decides
    try:
        try:
            keeper = Keeper(plan, control)
        except (OSError, CellError) as error:
            framing.send(control, {"error": "cell", "message": str(error)})
            os._exit(1)
        try:
            keeper.serve()
        finally:
            keeper.close()
    except (BrokenPipeError, ConnectionResetError):
        pass  # the service has gone; everything is cleaned up
    except BaseException as error:
        sys.stderr.write(f"i2s keeper of cell {plan.name}: {type(error).__name__}: {error}\n")
        sys.stderr.flush()
        status = 1
    os._exit(status)
