"""A program that is started for each question. The form is in :mod:`.command`."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

from i2s_sdk.models import processes
from i2s_sdk.models.completion_bound import TOO_LONG, AnswerTooLongError, read_bounded
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import Answer, FaultError, Provider, RejectedError, one_line
from i2s_sdk.models.question import ReadQuestion, refuse_schema

#: Places of arguments that the path of an image, of a document or of an empty folder stands in.
IMAGE, DOCUMENT, OUTPUT = PLACES = "{image}", "{document}", "{output}"

_SYSTEM = "{system}"
_ANSWER_SUFFIX = ".md"  # of the file that a program writes in its empty folder
_CHUNK = 65_536  # bytes
_PIPE_SECONDS = 2.0  # that the pipes of a killed program are read


class ProgramPerQuestion(Provider):
    """Starts a program for each question; what it prints is the completion.

    Attributes:
        whole: Whether the program is given documents, and answers them as a whole.

    Args:
        line: The command line, as the user wrote it.
        argv: The same, split, with places for images or documents, the prompt, the system text and the
            instance.
        options: Options of the calls.
    """

    vendor = "command"
    decoding: frozenset[str] = frozenset()
    repeatable = False  # the line does not say which version of the program answers
    ends_when_left = True

    def __init__(self, line: str, argv: Sequence[str], options: ModelOptions) -> None:
        self.model = line
        self.parameters: dict[str, Any] = {}
        self.whole = any(DOCUMENT in argument for argument in argv)
        self._writes = any(OUTPUT in argument for argument in argv)
        self._argv = argv
        self._most_bytes = 4 * options.completion_characters  # of UTF-8

    async def ask(self, question: ReadQuestion) -> Answer:
        """Run the program.

        Raises:
            FaultError: It ended with another code than 0, answered with what is not UTF-8, or wrote no
                answer.
            RejectedError: The program is given documents, and the question has none.
            ModelAccessError: It cannot be started, or the question wants JSON by a schema.
        """
        refuse_schema(question, "a program that is started for each question")
        if self.whole and not question.files:
            raise RejectedError(f"the program takes a document as {DOCUMENT}, and this question has none")
        with _output_folder(self._writes) as folder:
            return await self._answer(question, folder)

    async def _answer(self, question: ReadQuestion, folder: Path | None) -> Answer:
        argv = [filled for one in self._argv for filled in _filled(one, self._argv, question, folder)]
        try:
            code, out, err = await run_program(argv, _prompt(self._argv, question).encode(), self._most_bytes)
            if code == 0 and folder is not None:
                out = await asyncio.to_thread(_written, folder, self._most_bytes)
        except AnswerTooLongError:
            return TOO_LONG
        if code != 0:
            last = one_line(err.decode("utf-8", "replace")[-300:])
            raise FaultError(f"the program ended with code {code}{': ' + last if last else ''}")
        try:
            return Answer(out.decode("utf-8"), Finish.STOP)
        except UnicodeDecodeError as error:
            raise FaultError(
                f"the program answered with what is not UTF-8, from byte {error.start} on"
            ) from None


@contextlib.contextmanager
def _output_folder(wanted: bool) -> Iterator[Path | None]:
    """Make an empty folder and remove it afterwards with all that was written in it."""
    if not wanted:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="i2s-output-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _written(folder: Path, most: int) -> bytes:
    """Return the one answer that a program wrote below a folder.

    Raises:
        FaultError: There is none, or there are several.
        AnswerTooLongError: It has more than ``most`` bytes.
    """
    found = sorted(path for path in folder.rglob(f"*{_ANSWER_SUFFIX}") if path.is_file())
    if len(found) != 1:
        names = ", ".join(str(path.relative_to(folder)) for path in found[:3])
        said = f"{len(found)} files *{_ANSWER_SUFFIX}{': ' + names if names else ''}"
        raise FaultError(one_line(f"the program wrote {said} in {OUTPUT}, and one is its answer"))
    if not found[0].resolve().is_relative_to(folder.resolve()):
        raise FaultError(f"the program's answer in {OUTPUT} is a link that leads out of it")
    with found[0].open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise AnswerTooLongError
    return content


def _filled(argument: str, argv: Sequence[str], question: ReadQuestion, folder: Path | None) -> Iterator[str]:
    """Yield what stands for an argument: one with a place for images or documents, once for each of them."""
    places = {_SYSTEM: question.system, "{prompt}": _prompt(argv, question), "{id}": question.id}
    if argument in places:  # exactly, so that a prompt which names a place is not filled again
        yield places[argument]
    elif IMAGE in argument:
        yield from (argument.replace(IMAGE, str(one.path.resolve())) for one in question.images)
    elif DOCUMENT in argument:
        yield from (argument.replace(DOCUMENT, str(one.resolve())) for one in question.files)
    elif OUTPUT in argument and folder is not None:
        yield argument.replace(OUTPUT, str(folder))
    else:
        yield argument


def _prompt(argv: Sequence[str], question: ReadQuestion) -> str:
    """Return the text of the prompt, behind the system text if that has no place of its own."""
    if not question.system or _SYSTEM in argv:
        return question.text
    return f"{question.system}\n\n{question.text}"


async def run_program(argv: Sequence[str], given: bytes, most: int) -> tuple[int, bytes, bytes]:
    """Run a program and return its exit code, what it printed, and the last of its standard error.

    Args:
        argv: The program and its arguments.
        given: What it reads from its standard input.
        most: Bytes that it may print.

    Raises:
        AnswerTooLongError: It printed more.
        ModelAccessError: It cannot be started.
    """
    process = await processes.start(argv, stderr=asyncio.subprocess.PIPE)
    try:
        out, err = await _talk(process, given, most)
    finally:
        # Also where the time was over: nothing that was started for this question outlives it.
        processes.send_signal(process, signal.SIGKILL)
        await _reaped(process)
        processes.has_ended(process)
    assert process.returncode is not None
    return process.returncode, out, err


async def _talk(process: asyncio.subprocess.Process, given: bytes, most: int) -> tuple[bytes, bytes]:
    """Give a program its input and return what it prints until it ends.

    Raises:
        AnswerTooLongError: It printed more than ``most`` bytes.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None

    async def feed(stdin: asyncio.StreamWriter) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it need not read its input
            stdin.write(given)
            await stdin.drain()
        stdin.close()

    tasks = [
        asyncio.create_task(feed(process.stdin)),
        asyncio.create_task(read_bounded(_chunks(process.stdout), most)),
        asyncio.create_task(_last_bytes(process.stderr)),
    ]
    try:
        _, out, err = await asyncio.gather(*tasks)
        await process.wait()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(out, bytes)
    assert isinstance(err, bytes)
    return out, err


async def _chunks(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while chunk := await stream.read(_CHUNK):
        yield chunk


async def _last_bytes(stream: asyncio.StreamReader) -> bytes:
    last = b""
    async for chunk in _chunks(stream):
        last = (last + chunk)[-_CHUNK:]
    return last


async def _reaped(process: asyncio.subprocess.Process) -> None:
    """Return when a killed process is gone.

    asyncio reports the end of a process only after its pipes are read to their ends. A pipe that something
    else still holds is not waited for longer than _PIPE_SECONDS.
    """
    pipes = [pipe.read() for pipe in (process.stdout, process.stderr) if pipe is not None]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PIPE_SECONDS):
            await asyncio.gather(*pipes)
            await process.wait()
