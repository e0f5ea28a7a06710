"""A program that answers many questions: JSON lines in, JSON lines out. The form is in :mod:`.command`."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from i2s_sdk.json_text import read_json
from i2s_sdk.models import processes
from i2s_sdk.models.completion_bound import CHUNK, BoundedLines, LongLine
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import (
    Answer,
    AttemptError,
    FaultError,
    InputRejectedError,
    Provider,
    count,
    one_line,
    with_reasoning,
)
from i2s_sdk.models.question import ReadImage, ReadQuestion
from i2s_sdk.models.vendors import PerLoop

_log = logging.getLogger(__name__)

#: Words for the end of an answer; that of one which is too long comes of the reading of its line.
_FINISH = {str(one): one for one in (Finish.LENGTH, Finish.TOO_LONG)}

_END_SECONDS = 5.0  # that a program has to end by itself


class ProgramOfLines(Provider):
    """Asks a program that stays; one that ended is started again.

    Args:
        line: The command line, as the user wrote it.
        argv: The same, split.
        options: Options of the calls.
    """

    vendor = "command"
    repeatable = False  # the line does not say which version of the program answers

    def __init__(self, line: str, argv: Sequence[str], options: ModelOptions) -> None:
        self.model = line
        self.parameters = options.parameters
        self._options = options
        self._programs = PerLoop(
            lambda: _LineProgram(argv, options.completion_characters), lambda program: program.close()
        )

    async def ask(self, question: ReadQuestion) -> Answer:
        """Write the question and wait for its line.

        Raises:
            FaultError: The program ended, or its answer is none.
            ModelAccessError: It cannot be started.
        """
        parameters: dict[str, object] = dict(self.parameters)
        if question.sampling is not None:
            sampling = self._options.sampling(question.sampling)
            parameters |= {"temperature": sampling.temperature, **sampling.values()}
        return _read_answer(await self._programs.get().ask(_question_fields(question, parameters)))

    async def close(self) -> None:
        """Let the program end, and make it if it does not."""
        await self._programs.close()


def _question_fields(question: ReadQuestion, parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a question; those that a text and one image behind it do not need are left out."""
    asked: dict[str, object] = {"instance": question.id, "prompt": question.text}
    if len(question.images) == 1:
        asked |= _image_fields(question.images[0])
    asked |= parameters
    if question.max_tokens is not None:
        asked["max_tokens"] = question.max_tokens
    if question.text_and_image is None:
        asked["parts"] = [
            {"text": one} if isinstance(one, str) else _image_fields(one) for one in question.parts
        ]
    if question.system:
        asked["system"] = question.system
    if question.json_schema is not None:
        asked["json_schema"] = dict(question.json_schema)
    if question.name:
        asked["question"] = question.name
    return asked


def _image_fields(image: ReadImage) -> dict[str, str]:
    return {"image": str(image.path.resolve()), "media_type": image.media_type}


def _read_answer(said: dict[str, Any]) -> Answer:
    tokens_in, tokens_out = count(said.get("tokens_in")), count(said.get("tokens_out"))
    match said:
        case {"error": error} if error is not None:
            raise FaultError(f"the program says: {one_line(error)}")
        case {"refused": refused} if refused is not None and refused is not False:
            return Answer(str(refused), Finish.REFUSED, tokens_in, tokens_out)
        case {"rejected": rejected} if rejected is not None and rejected is not False:
            raise InputRejectedError(f"the program says: {one_line(rejected)}")
        case {"completion": str(text)}:
            finish, reasoning = said.get("finish"), said.get("reasoning")
            answer = Answer(text, _FINISH.get(str(finish), Finish.STOP), tokens_in, tokens_out)
            return with_reasoning(answer, reasoning if isinstance(reasoning, str) else "")
    raise FaultError(f"the program's answer has no text 'completion': {one_line(json.dumps(said), 80)}")


class _LineProgram:
    """The process, and the questions that it has not answered yet."""

    def __init__(self, argv: Sequence[str], most_characters: int) -> None:
        self._argv, self._most_characters = argv, most_characters
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._numbers = itertools.count(1)
        self._open: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def ask(self, question: Mapping[str, object]) -> dict[str, Any]:
        """Return what the program says to a question."""
        number = str(next(self._numbers))
        stdin = await self._started()
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._open[number] = future
        try:
            stdin.write(json.dumps({"id": number, **question}).encode() + b"\n")
            await stdin.drain()
            return await future
        except (BrokenPipeError, ConnectionResetError):
            # Its end is being noticed; what that says is better.
            return await future
        finally:
            self._open.pop(number, None)

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            if number is not None:
                processes.send_signal(process, number)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _END_SECONDS)
                processes.has_ended(process)
                break
        if self._reading is not None:
            await asyncio.gather(self._reading, return_exceptions=True)

    async def _started(self) -> asyncio.StreamWriter:
        async with self._starting:
            if self._process is None or self._process.returncode is not None or self._has_stopped_talking:
                await self.close()
                self._process = await processes.start(self._argv)
                self._reading = asyncio.create_task(self._read(self._process))
            assert self._process.stdin is not None
            return self._process.stdin

    @property
    def _has_stopped_talking(self) -> bool:
        return self._reading is not None and self._reading.done()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        why = "closed its standard output"
        lines = BoundedLines(self._most_characters)
        while chunk := await process.stdout.read(CHUNK):
            for line in lines.feed(chunk):
                self._take(line)
        last = lines.last()
        if last is not None:
            self._take(last)
        with contextlib.suppress(TimeoutError):
            why = f"ended with code {await asyncio.wait_for(process.wait(), 1.0)}"
        self._fail(FaultError(f"the program {why} before it answered"))

    def _take(self, line: bytes | LongLine) -> None:
        try:
            said = read_json(line) if isinstance(line, bytes) else line.entry
        except ValueError:
            said = None
        if not isinstance(said, dict) or "id" not in said:
            _log.warning(
                "%s wrote what is no answer; words for people belong to standard error: %s",
                self._argv[0],
                one_line(line.decode("utf-8", "replace") if isinstance(line, bytes) else line.texts, 80),
            )
            return
        future = self._open.get(str(said["id"]))
        if future is not None and not future.done():  # else it is late, and nobody waits any more
            future.set_result(said)

    def _fail(self, error: AttemptError) -> None:
        for future in self._open.values():
            if not future.done():
                future.set_exception(error)
