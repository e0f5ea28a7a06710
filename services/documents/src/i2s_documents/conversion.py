"""Convert fragments to HTML: one pandoc process for each, all of a request in one cell."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from i2s_chassis.jail import Cell, Ended, Jail, OutputError, OutputReason
from i2s_chassis.renderer.bounds import disk_complaint
from i2s_chassis.renderer.job import run_with_rerun
from i2s_chassis.renderer.verdict import Judgement, limit_passed
from i2s_chassis.renderer.wire import MAX_TEXT, printable
from i2s_chassis.server.telemetry import Telemetry
from i2s_documents.model import ConvertJob, RawConversions, RawFragment, limits_of_conversion
from i2s_documents.settings import DocumentsSettings
from i2s_wire.documents.conversion import ConversionFailure, Converted, FragmentFormat
from i2s_wire.render.rendering import Verdict

#: The fragment and the HTML, in the work folder.
SOURCE, OUTPUT = "fragment", "fragment.html"

_READERS = {FragmentFormat.MARKDOWN: "markdown", FragmentFormat.LATEX: "latex"}
# Pandoc reads its standard input, so that no file is named to it which a fragment could include.
_SCRIPT = f'exec "$0" --sandbox -f "$1" -t html <{SOURCE} >{OUTPUT}'
# Messages of pandoc that are not errors, with the lines that continue them.
_REMARK = re.compile(r"^\[(?:WARNING|INFO|DEBUG)\].*\n?(?:^ .*\n?)*", re.MULTILINE)


def pandoc_command(pandoc: str, source: FragmentFormat) -> list[str]:
    """Return the command line that converts the fragment in the work folder.

    Args:
        pandoc: The program.
        source: The language of the fragment. No extension of pandoc is added to it or removed from it.
    """
    return ["sh", "-c", _SCRIPT, pandoc, _READERS[source]]


def first_error(said: str, exit_code: int) -> str:
    """Return why pandoc refused a fragment, in its own words.

    Args:
        said: What it wrote to standard error.
        exit_code: Exit code with which it ended.
    """
    error = _REMARK.sub("", said).strip()
    return error or f"pandoc ended with exit code {exit_code} and gave no reason"


class Converter:
    """Runs pandoc in cells."""

    def __init__(self, settings: DocumentsSettings, pandoc: Path, jail: Jail, telemetry: Telemetry) -> None:
        """Prepare.

        Args:
            settings: Bounds.
            pandoc: The program.
            jail: Jail in which pandoc runs.
            telemetry: The metrics that count fragments that are converted once more, since pandoc was killed.
        """
        self._settings, self._pandoc, self._jail, self._telemetry = settings, str(pandoc), jail, telemetry

    async def convert(self, job: ConvertJob) -> RawConversions:
        """Convert the fragments of a job, at least the first, until the bounds of a request are reached.

        Each fragment has the limits of the job for itself, and sees nothing of the others.

        Raises:
            UnavailableError: The sandbox was lost, or something outside killed pandoc each time.
            JailError: A fault of the jail.
        """
        settings, done, html_bytes = self._settings, RawConversions(), 0
        clock = asyncio.get_running_loop().time
        end = clock() + settings.request_seconds
        async with self._jail.cell(limits_of_conversion(job.limits)) as cell:
            for fragment in job.fragments:
                if done.converted and (clock() >= end or html_bytes >= settings.response_bytes):
                    break
                converted = await self._convert(cell, fragment, job, done)
                done.converted.append(converted)
                html_bytes += len(converted.html or "")
        return done

    async def _convert(
        self, cell: Cell, fragment: RawFragment, job: ConvertJob, done: RawConversions
    ) -> Converted:
        wrong = self._objection(fragment, job)
        if wrong is not None:
            return _failed(fragment, wrong)
        cells = iter((cell,))  # of the request; after it, fresh ones

        async def run() -> Converted:
            for shared in cells:
                return await self._run(shared, fragment, job, done)
            async with self._jail.cell(limits_of_conversion(job.limits)) as fresh:
                return await self._run(fresh, fragment, job, done)

        return await run_with_rerun(run, _doubt, self._telemetry, self._settings.jail_attempts)

    def _objection(self, fragment: RawFragment, job: ConvertJob) -> Judgement | None:
        """Return why a fragment cannot be given to pandoc, None if it can."""
        text, most = fragment.content, self._settings.max_fragment_bytes
        if len(text) > most:
            reason = f"The fragment has {len(text)} bytes, more than the limit of {most}."
            return Judgement(Verdict.INVALID_INPUT, reason)
        try:
            text.decode()
        except UnicodeDecodeError as error:
            reason = f"The fragment is not UTF-8: {error.reason} at byte {error.start}."
            return Judgement(Verdict.INVALID_INPUT, reason)
        full = disk_complaint([text], job.limits, by_products=1)
        return Judgement(Verdict.OUTPUT_LIMIT, full) if full is not None else None

    async def _run(
        self, cell: Cell, fragment: RawFragment, job: ConvertJob, done: RawConversions
    ) -> Converted:
        limits = limits_of_conversion(job.limits)
        await cell.renew(limits, {SOURCE: fragment.content})
        ended = await cell.run(pandoc_command(self._pandoc, fragment.format))
        done.usage += ended.usage
        done.events += ended.events
        passed = limit_passed(ended.cause, job.limits, "converting the fragment", program="pandoc")
        if passed is not None:
            return _failed(fragment, passed)
        if ended.exit_code != 0:
            return _failed(fragment, _refused(ended))
        try:
            html = await cell.fetch(OUTPUT, job.limits.file_bytes)
        except OutputError as error:
            return _failed(fragment, _without_output(error, job))
        return Converted(fragment.id, html.decode(errors="replace"))


def _doubt(converted: Converted) -> str | None:
    return converted.reason if converted.verdict is Verdict.CRASHED else None


def _refused(ended: Ended) -> Judgement:
    said = ended.output.whole.decode(errors="replace")
    return Judgement(Verdict.COMPILE_ERROR, first_error(said, ended.exit_code))


def _without_output(error: OutputError, job: ConvertJob) -> Judgement:
    if error.reason is OutputReason.TOO_LARGE:
        reason = f"The HTML has more than the limit of {job.limits.file_bytes} bytes."
        return Judgement(Verdict.OUTPUT_LIMIT, reason)
    return Judgement(Verdict.NO_OUTPUT, "pandoc wrote no HTML.")


def _failed(fragment: RawFragment, why: Judgement) -> Converted:
    return Converted(fragment.id, failure=ConversionFailure(why.verdict, printable(why.message)[:MAX_TEXT]))
