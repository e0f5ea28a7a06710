"""The spawner: a small process without threads that forks the keepers of cells.

The service itself has threads and gRPC, and must not fork. It starts this process once and
asks it, over a socket of packets, to fork a keeper for each cell; the keeper then talks to
the service over a socket of its own. Whatever a keeper that was killed leaves behind falls
to the spawner, which kills and removes it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
from dataclasses import asdict, dataclass
from typing import Any

from i2s_chassis.jail import cgroup, keeper, seccomp, syscalls
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.jail.workspace import remove_tree

_MAX_PACKET = 128 * 1024
_REAP_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Survey:
    """What walls can be built of on this machine, as the spawner found by trying.

    Attributes:
        root: Whether the spawner may become other users.
        private_mount: Whether a keeper can mount a tmpfs for its cell.
        new_user: Whether it needs a user namespace for that.
        groups: Version of control groups that can be made, 0 for none, and where.
        bwrap: Path and version of bubblewrap, empty where there is none.
        landlock_abi: 0 for none.
        seccomp: Whether there is a filter for this architecture.
    """

    root: bool
    private_mount: bool
    new_user: bool
    groups: tuple[int, str, str] | None
    bwrap: str
    bwrap_version: str
    landlock_abi: int
    seccomp: bool


def main(control_fd: int) -> None:
    """Serve until the other end of the control socket closes."""
    control = socket.socket(fileno=control_fd)
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    os.umask(0o022)
    wake_read, wake_write = os.pipe()
    for fd in (wake_read, wake_write):
        os.set_blocking(fd, False)
    signal.set_wakeup_fd(wake_write)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keepers: dict[int, CellPlan] = {}
    while True:
        patience = _REAP_SECONDS if keepers else None
        ready, _, _ = select.select([control.fileno(), wake_read], [], [], patience)
        if wake_read in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake_read, 4096)
        _reap(keepers)
        if control.fileno() in ready and not _answer(control, keepers, (wake_read, wake_write)):
            break
    _wait_for(keepers)


def _answer(control: socket.socket, keepers: dict[int, CellPlan], own_fds: tuple[int, int]) -> bool:
    data, fds, _, _ = socket.recv_fds(control, _MAX_PACKET, 1)
    if not data:
        return False
    request: dict[str, Any] = json.loads(data)
    if request["op"] == "survey":
        control.send(json.dumps(asdict(survey(request["bwrap"]))).encode())
        return True
    plan = CellPlan.from_json(request["plan"])
    (cell_fd,) = fds
    pid = os.fork()
    if pid == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control.close()
        for fd in own_fds:
            os.close(fd)
        keeper.keep(plan, socket.socket(fileno=cell_fd))
    os.close(cell_fd)
    keepers[pid] = plan
    return True


def _reap(keepers: dict[int, CellPlan]) -> None:
    """Reap keepers that ended; kill and reap what killed keepers left to us."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            pid, status = ended
            plan = keepers.pop(pid, None)
            if plan is not None and status != 0:
                _clean_up(plan)
    with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:
        for pid in map(int, file.read().split()):
            if pid not in keepers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _clean_up(plan: CellPlan) -> None:
    remove_tree(plan.host_workdir)
    if plan.groups is not None:
        for parent in {plan.groups.memory, plan.groups.pids}:
            with contextlib.suppress(OSError):
                (parent / f"i2s-{plan.name}").rmdir()


def _wait_for(keepers: dict[int, CellPlan]) -> None:
    """Wait for the keepers, whose own sockets have closed too, to clean up."""
    signal.alarm(10)  # they take far less than a second; this is for what cannot happen
    while keepers:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return
        plan = keepers.pop(pid, None)
        if plan is not None and status != 0:
            _clean_up(plan)


def survey(bwrap: str) -> Survey:
    """Try what this machine permits."""
    root = os.geteuid() == 0
    path = shutil.which(bwrap, path=os.defpath + ":/usr/local/bin") or ""
    plain, with_user = _can_mount(new_user=False), not root and _can_mount(new_user=True)
    hierarchy = cgroup.find()
    groups = None if hierarchy is None else (hierarchy.version, str(hierarchy.memory), str(hierarchy.pids))
    return Survey(
        root=root,
        private_mount=plain or with_user,
        new_user=not plain and with_user,
        groups=groups,
        bwrap=path,
        bwrap_version=_version(path) if path else "",
        landlock_abi=syscalls.landlock_abi(),
        seccomp=seccomp.supported(),
    )


def _can_mount(*, new_user: bool) -> bool:
    child = os.fork()
    if child == 0:
        try:
            keeper.enter_private_mounts(new_user=new_user)
            syscalls.mount("i2s", "/tmp", "tmpfs", 0, "size=65536")  # noqa: S108 (only this child sees it)
        except OSError:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status == 0


def _version(bwrap: str) -> str:
    try:
        told = subprocess.run([bwrap, "--version"], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip()
