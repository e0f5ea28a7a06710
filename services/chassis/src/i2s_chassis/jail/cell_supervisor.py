"""The supervisor of one cell: makes it, runs programs in it one after the other, cleans it up.

One process for each cell, forked by the spawner, outside of the sandbox. It does what the
service asks over a socket that no program ever holds, and when that socket closes, for
whatever reason, it kills and removes everything and ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import replace

from i2s_chassis.jail import cgroup, framing, processes, syscalls, users
from i2s_chassis.jail.errors import CellError, KilledError, OutputError, StarvedError
from i2s_chassis.jail.framing import Head, Message
from i2s_chassis.jail.launch import CellContext, RunRequest, adopt_orphans, job_processes
from i2s_chassis.jail.model import Ended, PolicyEvent, PolicyKind, Tier, Usage, fields_of
from i2s_chassis.jail.namespace import Sandbox
from i2s_chassis.jail.plan import CellPlan, PlanBounds
from i2s_chassis.jail.run import Run
from i2s_chassis.jail.workspace import Workspace
from i2s_chassis.job_limits import Limits


class _GoneError(CellError):
    """The service has closed its end: everything is to be removed."""


class CellSupervisor:
    """Owns the cell's folder, sandbox and control group."""

    def __init__(
        self,
        plan: CellPlan,
        control: socket.socket,
        channels: Mapping[int, int],
        bounds: PlanBounds | None = None,
    ) -> None:
        """Make the cell.

        Raises:
            OSError, CellError: Some part of it cannot be made.
        """
        self._plan = plan
        self._bounds = bounds
        self._control = control
        self._channels = channels
        self._last_usage = Usage()
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
        adopt_orphans(plan)
        if plan.private_mount:
            enter_private_mounts(new_user=plan.new_user)
        limits = plan.limits
        self._workspace = Workspace(plan.host_workdir, plan.owner, limits, mounted=plan.private_mount)
        self._closers.callback(self._workspace.remove)
        if plan.known_by_user is not None:
            self._closers.callback(users.kill_user, plan.known_by_user)
        self._group: cgroup.ControlGroup | None = None
        if plan.groups is not None:
            self._group = cgroup.ControlGroup(
                plan.groups,
                f"i2s-{plan.name}",
                memory_bytes=_memory_of_group(limits),
                processes=limits.processes,
            )
            self._closers.callback(self._group.remove)
        self._sandbox: Sandbox | None = None
        if plan.tier is Tier.NAMESPACE:
            self._sandbox = Sandbox(plan)
            self._closers.callback(self._sandbox.close)
            if self._group is not None and not self._sandbox.has_our_children:
                # The process that waits for the program in its sandbox is in the group too.
                self._group.limit_processes(limits.processes + 1)
        scaffolding = self._sandbox.scaffolding if self._sandbox is not None else ()
        self._processes = job_processes(plan, frozenset(scaffolding))

    def serve(self) -> None:
        """Answer requests until the other end of the connection closes."""
        framing.send(self._control, Message({"id": 0, "uid": self._plan.uid}))
        with contextlib.suppress(_GoneError):
            while True:
                self._attend(None)

    def _attend(self, run: Run | None) -> None:
        """Read one question and answer it, in the middle of a run or while there is none."""
        question = framing.receive(self._control)
        if question is None:
            raise _GoneError("the service has closed the cell")
        answer = Message({})
        try:
            answer = self._answer(question, run)
        except OutputError as error:
            answer = Message({"error": "output", "name": error.name, "reason": error.reason.value})
        except _GoneError:
            raise
        except (OSError, CellError) as error:
            answer = _refusal(error)
        try:
            head = {**answer.head, "id": question.head["id"]}
            framing.send(self._control, Message(head, answer.body, answer.file))
        finally:
            if answer.file is not None:
                os.close(answer.file)

    def _answer(self, question: Message, run: Run | None) -> Message:
        head = question.head
        operation = head["op"]
        if operation == "run":
            if run is not None:
                raise CellError("a program runs in this cell already")
            return self._run(head)
        if operation == "renew":
            if run is not None:
                raise CellError("a program runs in this cell")
            self._renew(Limits(**head["limits"]))
            return Message({})
        if operation == "limit":
            return Message({"met": run is None or run.limit_met()})
        if operation in ("usage", "allow", "stop"):
            return Message({"usage": fields_of(self._control_run(operation, head, run))})
        return self._answer_of_folder(question)

    def _answer_of_folder(self, question: Message) -> Message:
        head = question.head
        operation = head["op"]
        if operation == "write":
            self._workspace.write(head["name"], question.body)
            return Message({})
        if operation == "read":
            return Message({}, file=self._workspace.open(head["name"]))
        if operation == "excerpt":
            excerpt = self._workspace.excerpt(head["name"], head["head"], head["tail"])
            lengths = {"head": len(excerpt.head), "total": excerpt.total_bytes}
            return Message(lengths, excerpt.head + excerpt.tail)
        if operation == "list":
            return Message({}, json.dumps(self._workspace.files()).encode())
        if operation == "fill":
            return Message({"fill": fields_of(self._workspace.fill())})
        if operation == "processes":
            pids = self._processes.pids() if self._group is None else self._group.pids()
            return Message({}, json.dumps(pids).encode())
        if operation == "isolation":
            around = map(processes.isolation_of, processes.descendants(os.getpid()))
            return Message(
                {},
                json.dumps(
                    [
                        fields_of(process_isolation)
                        for process_isolation in around
                        if process_isolation is not None
                    ]
                ).encode(),
            )
        raise CellError(f"unknown operation {operation!r}")

    def _renew(self, limits: Limits) -> None:
        if self._bounds is not None:
            self._bounds.check_limits(limits)
        self._workspace.renew(limits)
        if self._group is not None:
            self._group.limit_memory(_memory_of_group(limits))
        self._plan = replace(self._plan, limits=limits)
        self._cpu_left, self._wall_left = limits.cpu_seconds, limits.wall_seconds

    def _control_run(self, operation: str, head: Head, run: Run | None) -> Usage:
        """Ask something of the run under way, or of the last one; returns what it has used."""
        if run is None:
            if operation == "allow":
                raise CellError("no program runs in this cell")
            return self._last_usage
        if operation == "stop":
            run.stop()
        if operation != "allow":
            return run.usage()
        used = run.allow(head["cpu_seconds"], head["wall_seconds"], head["memory_bytes"], head["waits_for"])
        self._cpu_left = max(self._cpu_left, used.cpu_seconds + (head["cpu_seconds"] or 0))
        self._wall_left = max(self._wall_left, used.clock_seconds + (head["wall_seconds"] or 0))
        return used

    def _run(self, head: Head) -> Message:
        request = RunRequest(
            argv=tuple(head["argv"]),
            env=head["env"],
            probe=head.get("probe"),
            cpu_seconds=min(self._cpu_left, head["cpu_seconds"] or self._cpu_left),
            wall_seconds=min(self._wall_left, head["wall_seconds"] or self._wall_left),
        )
        context = CellContext(
            self._plan, self._workspace, self._sandbox, self._group, self._control.fileno(), self._channels
        )
        ended = Run(context, request, self._attend).until_the_end()
        self._last_usage = ended.usage
        self._cpu_left = max(0.0, self._cpu_left - ended.usage.cpu_seconds)
        self._wall_left = max(0.0, self._wall_left - ended.usage.clock_seconds)
        return Message(_describe(ended, self._irregular()), ended.output.head + ended.output.tail)

    def _irregular(self) -> list[PolicyEvent]:
        names = self._workspace.irregular()
        return [PolicyEvent(PolicyKind.IRREGULAR_OUTPUT, name[:200]) for name in names[:10]]

    def close(self) -> None:
        """Kill, unmount and remove everything."""
        self._closers.close()


def _memory_of_group(limits: Limits) -> int:
    # Files of a tmpfs count as memory of the group, beside that of the processes.
    return limits.memory_bytes + limits.disk_bytes


def _describe(ended: Ended, irregular: list[PolicyEvent]) -> Head:
    events = [[int(event.kind), event.detail, event.count] for event in (*ended.events, *irregular)]
    return {
        "cause": ended.cause.value,
        "exit_code": ended.exit_code,
        "signal": ended.signal,
        "usage": fields_of(ended.usage),
        "events": events,
        "head": len(ended.output.head),
        "total": ended.output.total_bytes,
    }


def _refusal(error: Exception) -> Message:
    """Return what the service is told of an error: its kind, which ``cell`` knows, and its message."""
    kind = "cell"
    if isinstance(error, StarvedError):
        kind = "starved"
    elif isinstance(error, KilledError):
        kind = "killed"
    return Message({"error": kind, "message": str(error)})


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


def keep(plan: CellPlan, control_fd: int, channels: Mapping[int, int], bounds: PlanBounds | None) -> None:
    """Be the supervisor of a cell until its control socket closes; never returns.

    Args:
        plan: The plan of the cell.
        control_fd: Where the service asks.
        channels: Descriptors for the programs, by the numbers that they find them at.
        bounds: What limits may be renewed to; None for any.
    """
    status = 0
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches us too; the service decides
    try:
        control = socket.socket(fileno=control_fd)
        try:
            supervisor = CellSupervisor(plan, control, channels, bounds)
        except (OSError, CellError) as error:
            refusal = _refusal(error)
            framing.send(control, Message({**refusal.head, "id": 0}))
            os._exit(1)
        try:
            supervisor.serve()
        finally:
            supervisor.close()
    except (BrokenPipeError, ConnectionResetError):
        pass  # the service has gone; everything is cleaned up
    except BaseException as error:
        sys.stderr.write(f"i2s supervisor of cell {plan.name}: {type(error).__name__}: {error}\n")
        sys.stderr.flush()
        status = 1
    os._exit(status)
