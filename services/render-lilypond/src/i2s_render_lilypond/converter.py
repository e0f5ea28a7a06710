"""Bring a score to the syntax of the LilyPond that is installed, with convert-ly where it is necessary."""

from __future__ import annotations

import contextlib
import enum
import io
import re
import signal
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from i2s_chassis.errors import WarmError
from i2s_chassis.jail import (
    Cause,
    Cell,
    Ended,
    Excerpt,
    Jail,
    KilledError,
    OutputError,
    PolicyEvent,
    Usage,
)
from i2s_chassis.renderer.model import NO_LOG, RawStage
from i2s_chassis.renderer.verdict import Judgement, limit_passed
from i2s_chassis.warm.pool import WarmPool
from i2s_chassis.warm.program import FROM_SERVICE, TO_SERVICE, Program, Warm, WarmSettings, open_warm
from i2s_render_lilypond.installation import CONVERTER, ENVIRONMENT, LilypondInstallation
from i2s_render_lilypond.model import LilypondJob
from i2s_render_lilypond.score import CONVERT_LOG, SCORE
from i2s_wire.render.options import LilypondConvert
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.source_error import ErrorKind, SourceError

# The two patterns that convert-ly looks for a version with.
_STATED = re.compile(r'\\version *"[0-9.]+"')
_STRICT = re.compile(r'\\version *"([0-9]{1,9}(?:\.([0-9]{1,9}))(\.[0-9]{1,9})?)"')


class Need(enum.Enum):
    """The change that convert-ly would make to a score."""

    NOTHING = "nothing"  # it is not to run
    IDENTITY = "identity"  # no rule is newer than the score: it would copy it
    RULES = "rules"
    REFUSE = "refuse"  # it would report that it cannot find the version


def states_version(text: str) -> bool:
    """Whether a score states a version that convert-ly would look at."""
    return _STATED.search(text) is not None


def need(text: str, assume_version: str, convert: LilypondConvert, latest_rule: tuple[int, ...]) -> Need:
    """Return what convert-ly would do to a score.

    Args:
        text: The score.
        assume_version: The version to convert from if it states none.
        convert: Whether convert-ly is wanted.
        latest_rule: The newest version that convert-ly has a rule for.
    """
    if convert is LilypondConvert.OFF:
        return Need.NOTHING
    if not states_version(text):
        if assume_version:
            return Need.RULES
        return Need.REFUSE if convert is LilypondConvert.REQUIRED else Need.NOTHING
    strict = _STRICT.search(text)
    if strict is None or (strict[3] is None and int(strict[2]) % 2):
        return Need.RULES  # a version that convert-ly itself may refuse
    stated = tuple(int(part) for part in strict[1].split("."))
    return Need.RULES if stated < latest_rule else Need.IDENTITY


def copied(score: bytes) -> bytes:
    """Return what convert-ly writes of a score that no rule applies to: its lines end in newlines."""
    return io.StringIO(score.decode("utf-8"), newline=None).read().encode()


LOG_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class ConvertedScore:
    """The score after its conversion, or the reason why the job ends."""

    #: The score in current syntax, or as it was.
    score: bytes
    #: Why the job ends here, None if it goes on.
    judgement: Judgement | None = None
    #: What convert-ly complained of, if the job ends here.
    error: SourceError | None = None
    #: What it wrote, if it ran and failed.
    log: Excerpt = NO_LOG
    #: The run, if there was one.
    stages: tuple[RawStage, ...] = ()
    #: What was tried and prevented.
    events: tuple[PolicyEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class _Ran:
    """How a run of convert-ly ended; ``score`` is None if it failed."""

    cause: Cause
    usage: Usage
    detail: str
    log: Excerpt
    score: bytes | None
    events: tuple[PolicyEvent, ...]


def command(program: str, assumed: str) -> list[str]:
    """Return the command line that converts the score in place.

    Args:
        program: Path of convert-ly.
        assumed: Version to convert from if the score states none; else empty.
    """
    # No \\version line is added, so that lines keep their numbers.
    return [program, "-e", *(("-n", f"--from={assumed}") if assumed else ()), SCORE]


class ScoreConverter:
    """Runs convert-ly in cells: a child of one that stands ready, or one that is started anew."""

    def __init__(
        self, jail: Jail, installation: LilypondInstallation, converters: WarmPool | None = None
    ) -> None:
        self._jail, self._installation, self._converters = jail, installation, converters

    async def convert(self, job: LilypondJob) -> ConvertedScore:
        """Convert the score of a job if that is wanted.

        Raises:
            RendererError: The fault of an engine.
            JailError: A fault of the jail.
        """
        score, wanted = job.score, job.options.convert
        text = score.decode("utf-8")
        match need(text, job.assume_version, wanted, self._installation.latest_rule):
            case Need.NOTHING:
                return ConvertedScore(score)
            case Need.IDENTITY:
                return ConvertedScore(copied(score))
            case Need.REFUSE:
                return ConvertedScore(score, *_refused("the score states no \\version to convert from"))
        ran = await self._run(job, "" if states_version(text) else job.assume_version)
        stages, events = (RawStage("convert", ran.usage, ran.detail),), ran.events
        judgement = limit_passed(ran.cause, job.limits, "converting", program="convert-ly")
        if judgement is not None:
            return ConvertedScore(score, judgement, None, ran.log, stages, events)
        if ran.score is not None:
            return ConvertedScore(ran.score, stages=stages, events=events)
        if wanted is LilypondConvert.REQUIRED:
            return ConvertedScore(score, *_refused(_complaint(ran.log)), ran.log, stages, events)
        return ConvertedScore(score, stages=stages, events=events)  # the image decides

    async def _run(self, job: LilypondJob, assumed: str) -> _Ran:
        converters = self._converters
        if converters is not None and not job.options.cold and converters.settings.fit(job.limits):
            with contextlib.suppress(WarmError):  # lost: the job gets a process of its own
                async with converters.lease() as (converter, folder):
                    return await _warm(converter, folder, job, assumed)
        return await self._cold(job, assumed)

    async def _cold(self, job: LilypondJob, assumed: str) -> _Ran:
        installation = self._installation
        limits = replace(job.limits, log_bytes=LOG_BYTES)
        async with self._jail.cell(limits, {SCORE: job.score}, readable=installation.readable) as cell:
            ended = await cell.run(command(str(installation.convert_ly), assumed), env=ENVIRONMENT)
            succeeded = ended.cause is Cause.EXITED and ended.exit_code == 0
            score = await _fetch(cell, SCORE) if succeeded else None
        return _Ran(ended.cause, ended.usage, "cold", ended.output, score, ended.events)


async def _warm(converter: Warm, folder: str, job: LilypondJob, assumed: str) -> _Ran:
    cell, limits = converter.cell, job.limits
    await cell.write(f"{folder}/{SCORE}", job.score)
    before = await cell.allow(
        cpu_seconds=limits.cpu_seconds,
        wall_seconds=limits.wall_seconds,
        memory_bytes=limits.memory_bytes,
    )
    answer = await converter.ask("convert", folder, assumed or "-")
    if isinstance(answer, Ended):
        converter.condemn("limit")
        if answer.cause in (Cause.EXITED, Cause.SIGNALED, Cause.STOPPED):
            raise WarmError(f"a converter ended in the middle of a job: {answer.cause.value}")
        return _Ran(answer.cause, answer.usage.since(before), "warm", answer.output, None, answer.events)
    usage = (await cell.usage()).since(before)
    succeeded = answer == ["done", "0", "0"]
    if not succeeded:
        converter.condemn("failed")
    try:
        log = await cell.excerpt(f"{folder}/{CONVERT_LOG}", LOG_BYTES, 0)
    except OutputError:
        log = NO_LOG
    score = await _fetch(cell, f"{folder}/{SCORE}") if succeeded else None
    killed = answer[:2] == ["done", "-1"]
    if killed and answer[2:] == [str(int(signal.SIGKILL))]:
        raise KilledError("something outside killed convert-ly")
    return _Ran(Cause.SIGNALED if killed else Cause.EXITED, usage, "warm", log, score, ())


async def _fetch(cell: Cell, name: str) -> bytes | None:
    try:
        return await cell.fetch(name)
    except OutputError:
        return None


def _complaint(output: Excerpt) -> str:
    """Return the last error that convert-ly wrote."""
    lines = output.whole.decode(errors="replace").splitlines()
    complaints = [line.partition("error: ")[2] for line in lines if "error: " in line]
    return complaints[-1] if complaints else "convert-ly failed without saying why"


def _refused(why: str) -> tuple[Judgement, SourceError]:
    return (
        Judgement(Verdict.COMPILE_ERROR, f"convert-ly refused the score: {why}"),
        SourceError(why, ErrorKind.OTHER),
    )


def open_converter(
    jail: Jail, installation: LilypondInstallation, settings: WarmSettings
) -> AbstractAsyncContextManager[Warm]:
    """Start a convert-ly that forks for each job; see `open_warm`.

    Raises:
        WarmError: There can be none here.
    """
    if installation.python is None or installation.convert_script is None:
        raise WarmError("convert-ly of this installation is no script for a Python of its own")
    pipes = (str(FROM_SERVICE), str(TO_SERVICE))
    program = Program(
        argv=(str(installation.python), "-I", str(CONVERTER), str(installation.convert_script), *pipes),
        files={},
        readable=installation.readable,
        environment=ENVIRONMENT,
    )
    return open_warm(jail, program, settings)
