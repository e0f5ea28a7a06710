"""The spawner: a small process without threads that forks the keepers of cells.

The service itself has threads and gRPC, and must not fork. It starts this process once and
asks it, over a socket of packets, to fork a keeper for each cell; the keeper then talks to
the service over a socket of its own. Whatever a keeper that was killed leaves behind falls
to the spawner, which kills and removes it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import shutil
import signal
import socket
import subprocess
from dataclasses import asdict, dataclass
from typing import Any

from i2s_chassis.jail import by_user, cgroup, follow, framing, gvisor, keeper, processes, seccomp, syscalls
from i2s_chassis.jail.errors import CellError
from i2s_chassis.jail.plan import CHANNEL_NUMBERS, CellPlan
from i2s_chassis.remove_tree import remove_tree

_MAX_PACKET = 128 * 1024
_REAP_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Survey:
    """What walls can be built of on this machine, as the spawner found by trying.

    Attributes:
        root: Whether the spawner may become other users.
        private_mount: Whether a keeper can mount a tmpfs for its cell.
        new_user: Whether it needs a user namespace for that.
        groups: Where control groups can be made, as Hierarchy.to_json says it; None for nowhere.
        bwrap: Path and version of bubblewrap, empty where there is none.
        landlock_abi: 0 for none.
        seccomp: Whether there is a filter for this architecture.
        gvisor: Whether the kernel is gVisor's.
        traces: Whether processes can be traced.
    """

    root: bool
    private_mount: bool
    new_user: bool
    groups: list[Any] | None
    bwrap: str
    bwrap_version: str
    landlock_abi: int
    seccomp: bool
    gvisor: bool
    traces: bool


def main(control_fd: int) -> None:
    """Serve until the other end of the control socket closes."""
    control = socket.socket(fileno=control_fd)
    if not gvisor.inside():  # some versions of it do not know this
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    os.umask(0o022)
    wake_read, wake_write = os.pipe()
    for fd in (wake_read, wake_write):
        os.set_blocking(fd, False)
    signal.set_wakeup_fd(wake_write)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What every keeper and every program before its start would else do for itself, or copy.
    for our_user in (False, True):
        seccomp.build(our_user=our_user, nesting=False, local_sockets=False)
    gc.collect()
    gc.freeze()
    gc.disable()
    keepers = Keepers()
    while True:
        patience = _REAP_SECONDS if keepers.to_watch else None
        ready, _, _ = select.select([control.fileno(), wake_read], [], [], patience)
        if wake_read in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake_read, 4096)
        keepers.reap()
        if control.fileno() in ready and not _answer(control, keepers, (wake_read, wake_write)):
            break
    keepers.wait()


def _answer(control: socket.socket, keepers: Keepers, own_fds: tuple[int, int]) -> bool:
    data, fds = framing.receive_packet(control, _MAX_PACKET, 1 + len(CHANNEL_NUMBERS))
    if not data:
        return False
    request: dict[str, Any] = json.loads(data)
    if request["op"] == "survey":
        control.send(json.dumps(asdict(survey(request["bwrap"]))).encode())
        return True
    plan = CellPlan.from_json(request["plan"])
    cell_fd, *channel_fds = fds
    pid = os.fork()
    if pid == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control.close()
        for fd in own_fds:
            os.close(fd)
        channels = dict(zip(plan.channels, channel_fds, strict=True))
        keeper.keep(plan, socket.socket(fileno=cell_fd), channels)
    for fd in fds:
        os.close(fd)
    keepers.add(pid, plan)
    return True


class Keepers:
    """The keepers that were forked, and what is left of the cells of those that were killed."""

    def __init__(self) -> None:
        self._plans: dict[int, CellPlan] = {}
        self._left: list[CellPlan] = []

    @property
    def to_watch(self) -> bool:
        """Whether there is any reason to look again soon."""
        return bool(self._plans or self._left)

    def add(self, pid: int, plan: CellPlan) -> None:
        """Take over a keeper that has just been forked."""
        self._plans[pid] = plan

    def reap(self) -> None:
        """Reap keepers that ended; kill, reap and remove what killed ones left to us."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                self._ended(*ended)
        for pid in processes.children(os.getpid()):
            if pid not in self._plans:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._left = [plan for plan in self._left if not _clean_up(plan)]

    def _ended(self, pid: int, status: int) -> None:
        plan = self._plans.pop(pid, None)
        if plan is not None and status != 0:
            self._left.append(plan)

    def wait(self) -> None:
        """Wait for the keepers, whose own sockets have closed too, to clean up."""
        signal.alarm(10)  # they take far less than a second; this is for what cannot happen
        with contextlib.suppress(ChildProcessError):
            while self._plans:
                self._ended(*os.waitpid(-1, 0))
        for plan in self._left:
            _clean_up(plan)


def _clean_up(plan: CellPlan) -> bool:
    """Remove what a killed keeper has left; returns whether all of it is gone."""
    if plan.known_by_user is not None:
        try:
            by_user.kill(plan.known_by_user)
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
    plain = not inside_gvisor and _can_mount(new_user=False)
    with_user = not inside_gvisor and not root and _can_mount(new_user=True)
    hierarchy = cgroup.find()
    groups = None if hierarchy is None else hierarchy.to_json()
    return Survey(
        root=root,
        private_mount=plain or with_user,
        new_user=not plain and with_user,
        groups=groups,
        bwrap=path,
        bwrap_version=_version(path) if path else "",
        landlock_abi=syscalls.landlock_abi(),
        seccomp=seccomp.supported(),
        gvisor=inside_gvisor,
        traces=follow.possible(),
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
