"""The jail: finds the strongest isolation that holds on this machine, and opens cells in it.

It starts the monitor and the spawner, and asks the spawner for cells.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from i2s_chassis.jail import escape, landlock, users
from i2s_chassis.jail.cell import Cell, Link
from i2s_chassis.jail.cgroup import Hierarchy
from i2s_chassis.jail.errors import (
    CellError,
    CellLostError,
    JailError,
    KilledError,
    NoNestingError,
    NoTierError,
)
from i2s_chassis.jail.landlock import Substitute
from i2s_chassis.jail.model import Isolation, JailSettings, Tier
from i2s_chassis.jail.plan import CHANNEL_NUMBERS, CellPlan, PlanBounds, Terms
from i2s_chassis.jail.spawner import Survey
from i2s_chassis.jail.work_folder import WorkFolder, remove_stale
from i2s_chassis.job_limits import Limits
from i2s_chassis.server.spans import span

_TIERS = (Tier.NAMESPACE, Tier.LANDLOCK)
# Where the kernel itself isolates the container, and on no other kernel.
_TIERS_IN_GVISOR = (*_TIERS, Tier.CONTAINER)
_PASSABLE = 0o711  # jobs of other users pass through such a folder, and cannot list it


class Jail:
    """Opens cells. Start one per process, with ``await Jail.start(settings)``.

    Attributes:
        isolation: The tier in force and what it is made of here.
        folder: Where the work folders of cells are made; holds nothing else.
        open_cells: Cells that are open now.
    """

    def __init__(self, settings: JailSettings, work_folder: WorkFolder) -> None:
        """Prepare; ``start`` is the way in."""
        self.isolation = Isolation(Tier.NONE, ())
        self._settings = settings
        self._work_folder = work_folder
        self.folder = _folder_of_cells(work_folder)
        self.open_cells = 0
        self._names = itertools.count(1)
        self._spawner = SpawnerClient(self._terms(None))
        self._survey = self._spawner.survey(settings.bwrap)

    @classmethod
    async def start(cls, settings: JailSettings) -> Jail:
        """Start the spawner and take the strongest tier that passes its escape tests.

        Raises:
            NoTierError: None does, and unsandboxed work is not allowed.
            NoNestingError: In the strongest tier that is left no browser starts, and one is wanted.
        """
        jail = cls(settings, await asyncio.to_thread(_work_folder, settings.state_dir))
        try:
            await jail._choose_tier()
        except BaseException:
            await jail.close()
            raise
        return jail

    def _terms(self, bounds: PlanBounds | None) -> Terms:
        settings = self._settings
        return Terms(
            settings.uid_base,
            settings.uid_count,
            str(self.folder),
            str(self._work_folder.path) if bounds else "",
            bounds,
        )

    async def bind(self, readable: Iterable[Path], ceilings: Limits) -> None:
        """Have the spawner permit nothing from now on but cells of the tier in force, within bounds.

        For a service that gives up its rights afterwards: should it be taken over, whoever sends plans to
        the spawner then gets no more than cells like these. No cell may be open.

        Args:
            readable: What cells may be given to read, and all below it.
            ceilings: The most of each limit of a cell.
        """
        await asyncio.to_thread(self._spawner.close)
        template = self._plan(ceilings, (), (), nesting=False)
        bounds = PlanBounds(template, tuple(map(str, readable)), ceilings)
        self._spawner = SpawnerClient(self._terms(bounds))

    def add_mechanism(self, mechanism: str) -> None:
        """Name something more that jobs are confined by, of the service around them."""
        isolation = self.isolation
        self.isolation = replace(isolation, mechanisms=(*isolation.mechanisms, mechanism))

    async def _choose_tier(self) -> None:
        reasons: dict[str, str] = {}
        wanted = self._settings.tier
        strongest_first = _TIERS_IN_GVISOR if self._survey.gvisor else _TIERS
        for tier in strongest_first if wanted is None else (wanted,):
            if tier is Tier.NONE:
                break
            reason = self._lacks(tier)
            if reason is None and self._settings.nesting and not self._shows_processes(tier):
                raise NoNestingError(tier.name.lower())
            if reason is None:
                self.isolation = self._isolation(tier)
                if tier is Tier.CONTAINER:
                    escape.close_shared_folders()
                reason = await escape.attempt(self, tier, self.folder)
            if reason is None:
                return
            reasons[tier.name.lower()] = reason
        if not self._settings.allow_unsandboxed:
            raise NoTierError(reasons)
        self.isolation = self._isolation(Tier.NONE)

    def _isolation(self, tier: Tier) -> Isolation:
        with_landlock = tier in (Tier.NAMESPACE, Tier.LANDLOCK)
        return Isolation(
            tier, self._mechanisms(tier), landlock_abi=self._survey.landlock_abi if with_landlock else 0
        )

    def _lacks(self, tier: Tier) -> str | None:
        survey = self._survey
        if not survey.seccomp:
            return "no seccomp filter for this processor architecture"
        if tier is Tier.CONTAINER:
            return self._lacks_for_container()
        if tier is Tier.LANDLOCK and not survey.landlock_abi:
            return "the kernel offers no Landlock (Linux 5.13 or later, with landlock in its lsm= list)"
        if tier is Tier.NAMESPACE and not survey.bwrap:
            return "bubblewrap is not installed (Debian package bubblewrap)"
        return None

    def _lacks_for_container(self) -> str | None:
        if not self._survey.gvisor:
            return "it relies on gVisor for isolation, and this kernel is not gVisor's"
        if not self._survey.root:
            return (
                "inside of gVisor a user for each job is all that keeps jobs from the service and from each "
                "other; start the service as root there"
            )
        return None

    def _mechanisms(self, tier: Tier) -> tuple[str, ...]:
        survey, found = self._survey, []
        if tier is Tier.NAMESPACE:
            found.append(survey.bwrap_version or "bubblewrap")
        if tier is Tier.CONTAINER:
            found += ["gvisor", "seccomp"]
        if tier in _TIERS:
            if survey.landlock_abi:
                found.append(f"landlock abi {survey.landlock_abi}")
            found.append("seccomp")
            found += [f"seccomp in place of landlock: {substitute}" for substitute in self._substitutes(tier)]
        if self._groups is not None:
            found.append(f"cgroup v{self._groups.version}")
        found.append("private tmpfs" if self._private_mount else "measured folder")
        found.append("a user for each job" if survey.root else "the service's own user")
        if self._follows(tier):
            found.append("processes followed")
        return tuple(found)

    def _substitutes(self, tier: Tier) -> tuple[Substitute, ...]:
        """Return what the filter controls because Landlock does not; namespaces need none of it."""
        if tier is not Tier.LANDLOCK:
            return ()
        return landlock.needed_substitutes(self._survey.landlock_abi, our_user=not self._survey.root)

    def _follows(self, tier: Tier) -> bool:
        """Whether jobs are followed: if no control group counts the processes of each."""
        return tier in _TIERS and self._survey.traces and self._groups is None

    @property
    def _groups(self) -> Hierarchy | None:
        groups = self._survey.groups
        if groups is None or not self._settings.control_groups:
            return None
        return Hierarchy.from_json(groups)

    @property
    def _private_mount(self) -> bool:
        return self._survey.private_mount and self._settings.private_mounts

    @property
    def shows_processes(self) -> bool:
        """Whether programs of a nesting cell have a /proc, without which no browser starts."""
        return self._shows_processes(self.isolation.tier)

    def _shows_processes(self, tier: Tier) -> bool:
        mounted = tier is Tier.LANDLOCK and self._survey.mounts_processes and self._private_mount
        return tier in (Tier.NAMESPACE, Tier.NONE) or mounted

    @contextlib.asynccontextmanager
    async def cell(
        self,
        limits: Limits,
        files: Mapping[str, bytes] | None = None,
        *,
        readable: Sequence[Path] = (),
        channels: Mapping[int, int] | None = None,
        nesting: bool = False,
    ) -> AsyncIterator[Cell]:
        """Open a cell: a fresh work folder in the sandbox, gone with all in it at the end.

        Args:
            limits: Limits of every run; CPU and wall seconds are the budget of the whole cell.
            files: Lie in the work folder from the start. Names are relative paths.
            readable: Files and folders that programs may read beside the system's. Other
                users must be able to reach them.
            channels: Open descriptors that programs find at these numbers (0 to 9), for talking
                with a program that stays. Duplicates live as long as the cell, so the caller may
                close its own once the cell is open. Best pipes: a socket would let a program
                send descriptors. Such runs have no RLIMIT_CPU; the supervisor alone holds that limit.
            nesting: Let programs make namespaces inside of theirs and write to their /proc, as
                the sandbox of a browser does. See docs/isolation.md.

        Raises:
            CellError: The cell cannot be made, or was lost.
            ValueError: A channel has a number that is not from 0 to 9.
        """
        if nesting and self.isolation.tier is Tier.CONTAINER:
            raise CellError("in the tier container no program gets namespaces of its own, as a browser needs")
        channels = dict(channels or {})
        if not set(channels) <= CHANNEL_NUMBERS:
            raise ValueError(f"channels have the numbers 0 to 9, not {sorted(channels)}")
        plan = self._plan(limits, readable, tuple(channels), nesting=nesting)
        with span("cell", {"i2s.tier": plan.tier.name.lower()}):
            cell = await self._open(plan, tuple(channels.values()))
        self.open_cells += 1
        try:
            for name, content in (files or {}).items():
                await cell.write(name, content)
            yield cell
        finally:
            self.open_cells -= 1
            await _to_the_end(cell.close())
            if cell.uid is not None and plan.tier is Tier.CONTAINER and os.getpid() == 1:
                users.reap_user(cell.uid)  # what has left its parents was left to the first process of all

    def _plan(
        self,
        limits: Limits,
        readable: Sequence[Path],
        channels: tuple[int, ...],
        *,
        nesting: bool,
    ) -> CellPlan:
        return CellPlan(
            name=self._new_name(),
            tier=self.isolation.tier,
            limits=limits,
            uid=None,  # the spawner chooses one
            readable=tuple(str(path) for path in readable),
            folder=str(self.folder),
            private_mount=self._private_mount,
            new_user=self._survey.new_user,
            poll_seconds=self._settings.poll_seconds,
            patience=self._settings.patience,
            groups=self._groups,
            bwrap=self._survey.bwrap,
            channels=channels,
            nesting=nesting,
            counted_apart=self._survey.counted_apart,
            followed=self._follows(self.isolation.tier),
            landlock_abi=self.isolation.landlock_abi,
            substitutes=self._substitutes(self.isolation.tier),
        )

    async def _open(self, plan: CellPlan, channel_fds: tuple[int, ...]) -> Cell:
        try:
            return await self._stand(plan, channel_fds)
        except (CellLostError, KilledError):
            # Most likely the spawner died under way, and its parent starts another one; or the sandbox did.
            plan = replace(plan, name=self._new_name())
        return await self._stand(plan, channel_fds)

    def _new_name(self) -> str:
        return f"{secrets.token_hex(4)}-{next(self._names)}"

    async def _stand(self, plan: CellPlan, channel_fds: tuple[int, ...]) -> Cell:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._spawner.fork_supervisor(plan, (theirs.fileno(), *channel_fds))
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        cell = Cell(plan, Link(ours))
        try:
            await cell.stand()
        except BaseException:
            await _to_the_end(cell.close())
            raise
        return cell

    @contextlib.contextmanager
    def watched(self, lost: Callable[[], None]) -> Iterator[None]:
        """Have ``lost`` called, once, if the monitor process ends while the block lasts.

        No cell that is open is lost with it. But no lost spawner is replaced any more, and a service that has
        given up its privileges cannot start another monitor: it should end.
        """
        loop, alive_fd = asyncio.get_running_loop(), self._spawner.alive_fd

        def ended() -> None:
            loop.remove_reader(alive_fd)
            lost()

        loop.add_reader(alive_fd, ended)
        try:
            yield
        finally:
            loop.remove_reader(alive_fd)

    async def close(self) -> None:
        """End the spawner; cells that are still open are killed and removed."""
        await asyncio.to_thread(self._spawner.close)
        self._work_folder.remove()  # of a service without privileges the monitor has done so


def _work_folder(state_dir: Path | None) -> WorkFolder:
    if state_dir is not None:
        state_dir.mkdir(parents=True, exist_ok=True)
        state_dir.chmod(_PASSABLE)
    remove_stale(state_dir)
    return WorkFolder("jail", state_dir)


def _folder_of_cells(work_folder: WorkFolder) -> Path:
    work_folder.path.chmod(_PASSABLE)
    folder = work_folder.path / "cells"
    folder.mkdir()
    folder.chmod(_PASSABLE)
    return folder


async def _to_the_end(closing: Coroutine[None, None, None]) -> None:
    """Await a clean-up to its end even when the waiting task is cancelled meanwhile."""
    task = asyncio.ensure_future(closing)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


_SURVEY_SECONDS = 120
_END_SECONDS = 15


class SpawnerClient:
    """Our end of the spawner process. Its parent, the monitor, starts it again when it is lost."""

    def __init__(self, terms: Terms) -> None:
        """Start both.

        Args:
            terms: What holds for as long as they run.
        """
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        alive_read, alive_write = os.pipe()
        self._alive = open(alive_read, "rb")  # noqa: SIM115 - closed by ``close``
        root = str(Path(__file__).resolve().parents[2])
        program = (
            f"import sys; sys.path.insert(0, {root!r}); "
            f"from i2s_chassis.jail.monitor import main; main({theirs.fileno()}, {alive_write})"
        )
        # A fresh, bare interpreter: no site packages, no threads, an empty environment, and a
        # session of its own so that a Ctrl-C at the terminal is for the service alone.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", program],
            pass_fds=(theirs.fileno(), alive_write),
            env={},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        os.close(alive_write)
        self._control.send(json.dumps(terms.to_json()).encode())

    @property
    def alive_fd(self) -> int:
        """A descriptor that can be read from once the monitor has ended."""
        return self._alive.fileno()

    def survey(self, bwrap: str) -> Survey:
        """Return what this machine permits. Not answered if plans have bounds.

        Raises:
            JailError: The spawner did not start.
        """
        try:
            self._control.send(json.dumps({"op": "survey", "bwrap": bwrap}).encode())
            self._control.settimeout(_SURVEY_SECONDS)
            answer = self._control.recv(65536)
        except OSError as error:
            raise JailError(f"the spawner process did not start: {error}") from error
        if not answer:
            raise JailError("the spawner process did not start; its complaint is on standard error")
        fields: dict[str, Any] = json.loads(answer)
        return Survey(**fields)

    def fork_supervisor(self, plan: CellPlan, descriptors: Sequence[int]) -> None:
        """Have a supervisor forked.

        Args:
            plan: The plan of its cell.
            descriptors: The socket that it talks over, then the channels of the plan in order.

        Raises:
            CellLostError: The monitor was lost, and the spawner with it.
        """
        packet = json.dumps({"op": "cell", "plan": plan.to_json()}).encode()
        try:
            socket.send_fds(self._control, [packet], descriptors)
        except OSError as error:
            raise CellLostError(f"the spawner process was lost: {error}") from error

    def close(self) -> None:
        """Close our end and wait for the spawner and its supervisors to clean up."""
        self._control.close()
        try:
            self._process.wait(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            # It may have rights that we have given up; then it ends by itself, as its supervisors do.
            with contextlib.suppress(PermissionError):
                self._process.kill()
                self._process.wait()
        self._alive.close()
