"""The spawner: a small process without threads that forks the supervisors of cells.

The service itself has threads and gRPC, and must not fork. It starts this process once and
asks it, over a socket of packets, to fork a supervisor for each cell; the supervisor then talks to
the service over a socket of its own. Whatever a supervisor that was killed leaves behind falls
to the spawner, which kills and removes it.

It keeps the rights that the service was started with, where the service gives them up. It does not trust
the service then: what it is asked for is checked against bounds (see bounds), it chooses the users of jobs
itself, and nothing that it is sent makes it end.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from i2s_chassis.jail import (
    cell_supervisor,
    cgroup,
    confine,
    follow,
    framing,
    gvisor,
    processes,
    seccomp,
    syscalls,
    users,
)
from i2s_chassis.jail.errors import CellError
from i2s_chassis.jail.framing import Message
from i2s_chassis.jail.plan import CHANNEL_NUMBERS, CellPlan, RefusedError, Terms
from i2s_chassis.jail.users import Users
from i2s_chassis.jail.workspace import remove_tree

_MAX_PACKET = 128 * 1024
_REAP_SECONDS = 0.5
_LEASES = ".users"  # below the folder of the jail, where the host's folder of leases cannot be had
_USER_SECONDS = 1.0
_MAX_COMPLAINT = 500
_MAX_COMPLAINTS = 100


@dataclass(frozen=True, slots=True)
class Survey:
    """The means of isolation on this machine, as the spawner found by trying."""

    #: Whether the spawner may become other users.
    root: bool
    #: Whether a supervisor can mount a tmpfs for its cell.
    private_mount: bool
    #: Whether it needs a user namespace for that.
    new_user: bool
    #: Whether it can mount a /proc of its own for a program.
    mounts_processes: bool
    #: Where control groups can be made, as Hierarchy.to_json says it; None for nowhere.
    groups: list[Any] | None
    #: Path and version of bubblewrap, empty if there is none.
    bwrap: str
    bwrap_version: str
    #: 0 for none.
    landlock_abi: int
    #: Whether there is a filter for this architecture.
    seccomp: bool
    #: Whether the kernel is gVisor's.
    gvisor: bool
    #: Whether processes can be traced.
    traces: bool
    #: Whether the kernel counts the processes of a user for each user namespace.
    counted_apart: bool


def serve(control: socket.socket, terms: Terms) -> None:
    """Serve until the other end of the control socket closes."""
    if not gvisor.inside():  # some versions of it do not know this
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    os.umask(0o022)
    wake_read, wake_write = os.pipe()
    for fd in (wake_read, wake_write):
        os.set_blocking(fd, False)
    signal.set_wakeup_fd(wake_write)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What every supervisor and every program before its start would else do for itself, or copy.
    for our_user in (False, True):
        seccomp.build(our_user=our_user, nesting=False, local_sockets=False)
    gc.collect()
    gc.freeze()
    gc.disable()
    users = Users(terms.uid_base, terms.uid_count, otherwise=Path(terms.folder, _LEASES))
    spawner = Spawner(control, terms, CellSupervisors(users), users, (wake_read, wake_write))
    while True:
        patience = _REAP_SECONDS if spawner.supervisors.to_watch else None
        ready, _, _ = select.select([control.fileno(), wake_read], [], [], patience)
        if wake_read in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake_read, 4096)
        spawner.supervisors.reap()
        if control.fileno() in ready and not spawner.attend():
            break
    spawner.supervisors.wait()
    users.close()


class Spawner:
    """Does what is asked over the control socket."""

    def __init__(
        self,
        control: socket.socket,
        terms: Terms,
        supervisors: CellSupervisors,
        users: Users,
        own_fds: tuple[int, int],
    ) -> None:
        """Prepare.

        Args:
            control: Where the service asks.
            terms: What was fixed at the start.
            supervisors: Supervisors of open cells.
            users: Users that jobs run as if this process is root.
            own_fds: Descriptors that no supervisor may have.
        """
        self.supervisors = supervisors
        self._control, self._terms, self._users, self._own_fds = control, terms, users, own_fds
        self._complaints = 0

    def attend(self) -> bool:
        """Do what one packet asks for, or refuse it; returns whether the service is still there."""
        data, fds, whole = framing.receive_packet(self._control, _MAX_PACKET, 1 + len(CHANNEL_NUMBERS))
        try:
            if not data:
                return False  # an empty packet looks like the end, and is taken for it
            if not whole:
                raise RefusedError("a packet that is too long")
            self._do(json.loads(data), fds)
        except Exception as error:  # whatever a service sends, the spawner serves on
            self._refuse(error, fds)
        finally:
            for fd in fds:
                os.close(fd)
        return True

    def _refuse(self, error: Exception, fds: Sequence[int]) -> None:
        """Say why something is refused: to who waits for the cell, and in the log, which has an end."""
        reason = " ".join(f"{error}".split())[:_MAX_COMPLAINT] or type(error).__name__
        self._complaints += 1
        if self._complaints <= _MAX_COMPLAINTS:
            sys.stderr.write(f"i2s spawner: refused: {reason}\n")
            sys.stderr.flush()
        if fds:
            with contextlib.suppress(OSError, ValueError), socket.socket(fileno=os.dup(fds[0])) as cell:
                cell.setblocking(False)
                framing.send(cell, Message({"id": 0, "error": "cell", "message": reason}))

    def _do(self, request: dict[str, Any], fds: Sequence[int]) -> None:
        bounds = self._terms.bounds
        if bounds is None and request["op"] == "survey":
            self._control.send(json.dumps(asdict(survey(request["bwrap"]))).encode())
            return
        if request["op"] != "cell":
            raise RefusedError("an operation that there is not")
        plan = CellPlan.from_json(request["plan"])
        if bounds is not None:
            plan = bounds.permitted(plan)
        if plan.uid is not None or self.supervisors.has(plan.name) or len(fds) != 1 + len(plan.channels):
            raise RefusedError("a plan with a user, a name that is in use, or too many or few descriptors")
        if os.geteuid() == 0:
            plan = replace(plan, uid=self._take_user())
        self._fork_supervisor(plan, fds)

    def _take_user(self) -> int:
        """Return a user that no other cell has.

        Raises:
            CellError: All are in use.
        """
        deadline = time.monotonic() + _USER_SECONDS
        while True:
            try:
                return self._users.take()
            except CellError:
                # A cell is closed for the service a moment before its supervisor can be reaped.
                if not self.supervisors.to_watch or time.monotonic() > deadline:
                    raise
            time.sleep(0.01)
            self.supervisors.reap()

    def _fork_supervisor(self, plan: CellPlan, fds: Sequence[int]) -> None:
        cell_fd, *channel_fds = fds
        try:
            pid = os.fork()
        except OSError:
            if plan.uid is not None:
                self._users.give_back(plan.uid)
            raise
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                self._control.close()
                for fd in self._own_fds:
                    os.close(fd)
                # Its lease lasts as long as the supervisor, whatever becomes of this process.
                self._users.keep_only(plan.uid)
                channels = dict(zip(plan.channels, channel_fds, strict=True))
                cell_supervisor.keep(plan, cell_fd, channels, self._terms.bounds)
            finally:
                os._exit(1)
        self.supervisors.add(pid, plan)


class CellSupervisors:
    """The supervisors that were forked, and what is left of the cells of those that were killed."""

    def __init__(self, users: Users) -> None:
        self._users = users
        self._plans: dict[int, CellPlan] = {}
        self._left: list[CellPlan] = []

    def has(self, name: str) -> bool:
        """Whether a cell of that name is open, or not cleaned up yet."""
        return any(plan.name == name for plan in (*self._plans.values(), *self._left))

    @property
    def to_watch(self) -> bool:
        """Whether there is any reason to look again soon."""
        return bool(self._plans or self._left)

    def add(self, pid: int, plan: CellPlan) -> None:
        """Take over a supervisor that has just been forked."""
        self._plans[pid] = plan

    def reap(self) -> None:
        """Reap supervisors that ended; kill, reap and remove what killed ones left to us."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                self._ended(*ended)
        for pid in processes.children(os.getpid()):
            if pid not in self._plans:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._left = [plan for plan in self._left if not self._clean_up(plan)]

    def _ended(self, pid: int, status: int) -> None:
        plan = self._plans.pop(pid, None)
        if plan is None:
            return
        if status != 0:
            self._left.append(plan)
        else:
            self._release(plan)

    def _clean_up(self, plan: CellPlan) -> bool:
        """Remove what a killed supervisor has left; returns whether all of it is gone."""
        is_clean = _clean_up(plan)
        if is_clean:
            self._release(plan)
        return is_clean

    def _release(self, plan: CellPlan) -> None:
        """Let another cell have the user of one that is gone."""
        if plan.uid is None:
            return
        if plan.known_by_user is not None and users.has_processes(plan.known_by_user):
            return  # something of the job may still run as that user, so nobody else becomes it
        self._users.give_back(plan.uid)

    def wait(self) -> None:
        """Wait for the supervisors, whose own sockets have closed too, to clean up."""
        signal.alarm(10)  # they take far less than a second; this is for what cannot happen
        with contextlib.suppress(ChildProcessError):
            while self._plans:
                self._ended(*os.waitpid(-1, 0))
        for plan in self._left:
            self._clean_up(plan)


def _clean_up(plan: CellPlan) -> bool:
    """Remove what a killed supervisor has left; returns whether all of it is gone."""
    if plan.known_by_user is not None:
        try:
            users.kill_user(plan.known_by_user)
        except CellError:
            return False
    remove_tree(plan.host_workdir)
    # A group can be removed once the last of the job has been reaped.
    grouped = plan.groups is not None and not plan.groups.remove(f"i2s-{plan.name}")
    return not grouped and not os.path.lexists(plan.host_workdir)


def survey(bwrap: str) -> Survey:
    """Try what this machine permits."""
    root = os.geteuid() == 0
    path = shutil.which(bwrap, path=os.defpath + ":/usr/local/bin") or ""
    # gVisor of 2022 grants a mount namespace and gives none: what is mounted then lies there for all.
    inside_gvisor = gvisor.inside()
    plain = not inside_gvisor and _can(_mount_folder, False)
    with_user = not inside_gvisor and not root and _can(_mount_folder, True)
    hierarchy = cgroup.find()
    groups = None if hierarchy is None else hierarchy.to_json()
    return Survey(
        root=root,
        private_mount=plain or with_user,
        new_user=not plain and with_user,
        mounts_processes=root and plain and _can(confine.mount_processes),
        groups=groups,
        bwrap=path,
        bwrap_version=_version(path) if path else "",
        landlock_abi=syscalls.landlock_abi(),
        seccomp=seccomp.supported(),
        gvisor=inside_gvisor,
        traces=follow.possible(),
        counted_apart=root or _counts_apart(),
    )


def _mount_folder(new_user: bool) -> None:
    cell_supervisor.enter_private_mounts(new_user=new_user)
    syscalls.mount("i2s", "/tmp", "tmpfs", 0, "size=65536")  # noqa: S108 (only this process sees it)


def _can(mount: Callable[..., None], *arguments: bool) -> bool:
    """Whether a function that mounts something succeeds, in a process of its own."""
    child = os.fork()
    if child == 0:
        try:
            mount(*arguments)
        except OSError:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status == 0


def _counts_apart() -> bool:
    """Whether the kernel counts the processes of a user for each user namespace (since Linux 5.14).

    A process that is alone in a namespace then has one more if two are permitted. Older kernels count
    its parent too.
    """
    child = os.fork()
    if child == 0:
        try:
            syscalls.unshare(syscalls.CLONE_NEWUSER)
            resource.setrlimit(resource.RLIMIT_NPROC, (2, 2))
            grandchild = os.fork()
        except OSError:
            os._exit(1)
        if grandchild != 0:
            os.waitpid(grandchild, 0)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status == 0


def _version(bwrap: str) -> str:
    try:
        ended = subprocess.run([bwrap, "--version"], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return ended.stdout.strip()
