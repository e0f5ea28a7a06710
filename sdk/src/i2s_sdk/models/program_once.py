"""A program that is started for each picture. The form is in :mod:`.command`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence

from i2s_sdk.models.errors import ModelAccessError
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import Answer, FaultError, one_line
from i2s_sdk.models.question import Question


class ProgramPerPicture:
    """Starts a program for each question; what it prints is the completion.

    Args:
        line: The command line, as the user wrote it.
        argv: The same, split, with places for the picture, the prompt and the instance.
        options: Of the calls.
    """

    vendor = "command"
    base_url = ""
    repeatable = False  # the line does not say which version of the program answers

    def __init__(self, line: str, argv: Sequence[str], options: ModelOptions) -> None:
        self.model = line
        self.parameters: dict[str, float | int | str | None] = {}
        self._argv = argv

    async def ask(self, question: Question) -> Answer:
        """Run the program.

        Raises:
            FaultError: It ended with another code than 0, or printed what is not UTF-8.
            ModelAccessError: It cannot be started.
        """
        code, out, err = await _run([_filled(one, question) for one in self._argv], question.text.encode())
        if code != 0:
            last = one_line(err.decode("utf-8", "replace")[-300:])
            raise FaultError(f"the program ended with code {code}{': ' + last if last else ''}")
        try:
            return Answer(out.decode("utf-8"), Finish.STOP)
        except UnicodeDecodeError as error:
            raise FaultError(f"the program printed what is not UTF-8, from byte {error.start} on") from None

    async def close(self) -> None:
        """Do nothing: no program outlives its question."""


def _filled(argument: str, question: Question) -> str:
    places = {"{image}": str(question.path.resolve()), "{prompt}": question.text, "{id}": question.id}
    for place, value in places.items():
        if argument == place:  # exactly, so that a prompt which names a place is not filled again
            return value
    return argument.replace("{image}", places["{image}"])


async def _run(argv: Sequence[str], given: bytes) -> tuple[int, bytes, bytes]:
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # so that it ends with all that it started
        )
    except OSError as error:
        raise ModelAccessError(f"{argv[0]!r} cannot be started: {error.strerror}") from None
    try:
        out, err = await process.communicate(given)
    finally:
        # Also where the time was over: nothing that was started for this question outlives it.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    assert process.returncode is not None
    return process.returncode, out, err
