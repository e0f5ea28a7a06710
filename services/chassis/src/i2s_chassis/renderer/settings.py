"""The settings of a renderer's jail, and how it is opened."""

from __future__ import annotations

import asyncio
import logging
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import ByteSize, Field

from i2s_chassis.errors import StartError
from i2s_chassis.jail import JailError, JailSettings, NoNestingError, NoTierError, Tier
from i2s_chassis.jail.host import SECCOMP_PROFILE, TierDiagnosis, concerning, diagnose, read_facts
from i2s_chassis.limits import Limits
from i2s_chassis.server.settings import ServiceSettings
from i2s_chassis.server.start import undisturbed

if TYPE_CHECKING:
    from i2s_chassis.jail import Jail
    from i2s_chassis.server.service import Chassis


_log = logging.getLogger(__name__)
_ORDINARY = (Tier.NAMESPACE, Tier.LANDLOCK)  # of kernels that are not gVisor's


class RendererSettings(ServiceSettings):
    """Base of a renderer's settings."""

    #: Whether its engine needs a tier in which programs make namespaces of their own.
    nesting: ClassVar[bool] = False

    jail_tier: Literal["auto", "namespace", "landlock", "container", "none"] = Field(
        "auto",
        description="Isolation of jobs; auto takes the strongest tier that passes its escape tests. "
        "container works inside of gVisor alone.",
    )
    allow_unsandboxed: bool = Field(
        False, description="Serve without isolation where no tier works, and say so in every answer."
    )
    jail_state_dir: Path | None = Field(
        None, description="Folder for the work folders of jobs; unset takes the system's temporary folder."
    )
    jail_uid_base: int = Field(
        52_000, ge=1, le=2**31, description="Started as root: first of the user ids that jobs run as."
    )
    jail_uid_count: int = Field(256, ge=1, le=65_536, description="How many user ids jobs may have.")
    jail_poll_seconds: float = Field(
        0.05, ge=0.005, le=1, description="How often memory, processes and disk of a job are measured."
    )
    jail_patience: float = Field(
        10.0,
        ge=1,
        le=1000,
        description="Time in which a loaded machine keeps a job waiting for a processor does not count "
        "against its limit on wall time; after this many times that limit the job is given up, UNAVAILABLE.",
    )
    jail_attempts: int = Field(
        3,
        ge=1,
        le=100,
        description="Runs of a job that something outside of the service kills; after the last of them the "
        "call ends with ABORTED, never with a verdict.",
    )
    jail_private_mounts: bool = Field(True, description="A tmpfs of its own for each job, where possible.")
    jail_control_groups: bool = Field(True, description="Control groups for jobs, where possible.")
    bwrap: str = Field("bwrap", description="Bubblewrap, by name or path.")

    def jail_settings(self) -> JailSettings:
        """Return what the jail is to be started with."""
        tier = None if self.jail_tier == "auto" else Tier[self.jail_tier.upper()]
        return JailSettings(
            tier=tier,
            allow_unsandboxed=self.allow_unsandboxed,
            state_dir=self.jail_state_dir,
            uid_base=self.jail_uid_base,
            uid_count=self.jail_uid_count,
            poll_seconds=self.jail_poll_seconds,
            patience=self.jail_patience,
            private_mounts=self.jail_private_mounts,
            control_groups=self.jail_control_groups,
            bwrap=self.bwrap,
            nesting=self.nesting,
        )

    def users_of_jobs(self) -> range:
        """Return the users that jobs run as."""
        return range(self.jail_uid_base, self.jail_uid_base + self.jail_uid_count)

    def readable_by_jobs(self) -> tuple[Path, ...]:
        """Return what jobs may be given to read, with all below it, beside the system's folders."""
        return ()

    def cells(self) -> tuple[Limits, ...]:
        """Return the limits of cells that are not those of a job."""
        return ()

    def cell_ceilings(self) -> Limits:
        """Return the most of each limit that any cell of the service needs."""
        limits = (self.max, *self.cells())
        return Limits(
            **{field.name: max(getattr(each, field.name) for each in limits) for field in fields(Limits)}
        )

    def start_privileged(self) -> Jail:
        """Start the jail, with the strongest tier that the service's privileges permit.

        Raises:
            StartError: See ``start_jail``.
        """
        return asyncio.run(undisturbed(lambda: _started_and_bound(self)))


class GenericSettings(RendererSettings):
    """Base of the settings of a renderer of generic sources."""

    source_bytes: ByteSize = Field(ByteSize(1 << 20), ge=1 << 10, description="Greatest source.")
    beside_bytes: ByteSize = Field(
        ByteSize(16 << 20), ge=1 << 10, description="Greatest of the files beside a source."
    )
    beside_files: int = Field(256, ge=0, le=10_000, description="Most files beside a source.")


async def _started_and_bound(settings: RendererSettings) -> Jail:
    jail = await start_jail(settings)
    await jail.bind(settings.readable_by_jobs(), settings.cell_ceilings())
    return jail


@asynccontextmanager
async def open_jail(settings: RendererSettings, chassis: Chassis) -> AsyncIterator[Jail]:
    """Give out the jail of a renderer: the one that there is, else one for as long as the block lasts.

    Raises:
        StartError: See ``start_jail``. Or the tier is CONTAINER, in which jobs read what all users may read,
            and the key of the certificate is such a file. Or a sandbox was lost within the block.
    """
    jail = chassis.jail or await start_jail(settings)
    try:
        if jail.isolation.tier is Tier.CONTAINER:
            _check_closed(settings.tls_key)
        chassis.telemetry.isolation("tier", on=jail.isolation.tier is not Tier.NONE)
        yield jail
    except JailError as error:
        raise StartError(f"a sandbox failed while the service started or ended: {error}") from error
    finally:
        if chassis.jail is None:
            await jail.close()


async def start_jail(settings: RendererSettings) -> Jail:
    """Start the jail of a renderer.

    If the host forbids the strongest tier the log says what forbids it and what permits it.

    Raises:
        StartError: No tier works here; says why for each, what of the host forbids it, and what to do.
    """
    from i2s_chassis.jail import Jail

    wanted = settings.jail_settings()
    try:
        jail = await Jail.start(wanted)
    except NoNestingError as error:
        causes = await _forbidden(wanted, (Tier.NAMESPACE,))
        raise StartError(". ".join((_no_browser(error), *map(str, causes)))) from error
    except JailError as error:
        causes = await _forbidden(wanted, _ORDINARY) if isinstance(error, NoTierError) else ()
        raise StartError(". ".join(map(str, (error, *causes)))) from error
    if wanted.tier is None and jail.isolation.tier is not Tier.CONTAINER:
        stronger = tuple(tier for tier in _ORDINARY if tier > jail.isolation.tier)
        for tier_diagnosis in await _forbidden(wanted, stronger) if stronger else ():
            about = {"tier": jail.isolation.tier.name.lower(), "reason": str(tier_diagnosis)}
            _log.warning("this host forbids a stronger tier", extra={"fields": about})
    return jail


def _no_browser(error: NoNestingError) -> str:
    return (
        f"no browser starts in the isolation tier {error.tier} as it is here, since its programs have no "
        "/proc. It needs the tier namespace: on Kubernetes use the component userns (docs/kubernetes.md), in "
        f"a container of Docker or podman --security-opt seccomp={SECCOMP_PROFILE}, elsewhere install "
        "bubblewrap and permit user namespaces. Or start the service as root where it may mount a /proc"
    )


async def _forbidden(settings: JailSettings, tiers: tuple[Tier, ...]) -> tuple[TierDiagnosis, ...]:
    """Return what of this host forbids any of the tiers."""
    facts = await asyncio.to_thread(read_facts, settings.bwrap, settings.state_dir)
    return concerning(diagnose(facts), tiers)


def _check_closed(secret: Path | None) -> None:
    if secret is not None and secret.stat().st_mode & stat.S_IROTH:
        raise StartError(
            f"{secret} may be read by all users, and so by jobs in the tier container; take that right away "
            "(chmod o-r, or defaultMode 0400 of the volume)"
        )
