"""A program of your own as a model; docs/models.md has the forms in full.

A program with ``{image}`` or ``{document}`` among its arguments is started for each question, and what it
prints, or writes into the folder ``{output}``, is the completion::

    command:./my-model --picture {image}
    command:marker_single {document} --output_dir {output}

Without any of these it is started once, reads one JSON object a line and writes one a line, in any order::

    → {"id": "7", "instance": "eq-1", "prompt": "…", "image": "/…/eq-1.png", "media_type": "image/png",
       "temperature": 0.0, "max_tokens": 2000}
    ← {"id": "7", "completion": "…"}, or with "refused", "rejected" or "error" in place of the completion
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_sdk.json_text import read_json
from i2s_sdk.models import processes
from i2s_sdk.models.completion_bound import CHUNK, TOO_LONG, AnswerTooLongError, LongLine, bounded_lines
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import (
    Answer,
    FaultError,
    InputRejectedError,
    ModelProvider,
    RejectedError,
    count,
    one_line,
    with_reasoning,
)
from i2s_sdk.models.question import ReadImage, ReadPart, ReadQuestion, refuse_schema
from i2s_sdk.models.vendors import PerLoop

_log = logging.getLogger(__name__)

#: Places of arguments that the path of an image, of a document or of an empty folder stands in.
_IMAGE, _DOCUMENT, _OUTPUT = _PLACES = "{image}", "{document}", "{output}"

_SYSTEM = "{system}"
_ANSWER_SUFFIX = ".md"  # of the file that a program writes in its empty folder
_END_SECONDS = 5.0  # that a program has to end by itself

#: Words for the end of an answer; that of one which is too long comes of the reading of its line.
_FINISH = {str(finish): finish for finish in (Finish.LENGTH, Finish.TOO_LONG)}


def command_provider(line: str, options: ModelOptions) -> ModelProvider:
    """Return the provider of a command line.

    Raises:
        UsageError: The line cannot be split, or there is no such program.
    """
    try:
        argv = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"command:{line}: {error}") from None
    if not argv or shutil.which(argv[0]) is None:
        raise UsageError(f"command:{line}: there is no program {argv[0] if argv else ''!r} that can be run")
    places = {place for place in _PLACES if any(place in argument for argument in argv)}
    if {_IMAGE, _DOCUMENT} <= places:
        raise UsageError(f"command:{line}: has {_IMAGE} and {_DOCUMENT}; a program is given one of the two")
    if _OUTPUT in places and _DOCUMENT not in places:
        raise UsageError(f"command:{line}: has {_OUTPUT} without {_DOCUMENT}")
    return (ProgramPerQuestion if places else ProgramOfLines)(line, argv, options)


class ProgramPerQuestion(ModelProvider):
    """Starts a program for each question.

    Args:
        line: The command line, as the user wrote it.
        argv: The same, split, with places for images or documents, the prompt, the system text and the
            instance.
        options: Options of the calls.
    """

    vendor = "command"
    decoding: frozenset[str] = frozenset()
    ends_when_left = True

    def __init__(self, line: str, argv: Sequence[str], options: ModelOptions) -> None:
        self.model, self._argv = line, argv
        self.parameters = {}
        self.whole = any(_DOCUMENT in argument for argument in argv)
        self._writes = any(_OUTPUT in argument for argument in argv)
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
            raise RejectedError(f"the program takes a document as {_DOCUMENT}, and this question has none")
        with _output_folder(self._writes) as folder:
            return await self._answer(question, folder)

    async def _answer(self, question: ReadQuestion, folder: Path | None) -> Answer:
        argv = [filled for argument in self._argv for filled in self._filled(argument, question, folder)]
        prompt = self._prompt(question).encode()
        try:
            code, out, err = await processes.run_program(argv, prompt, self._most_bytes)
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

    def _filled(self, argument: str, question: ReadQuestion, folder: Path | None) -> Iterator[str]:
        """Yield the arguments in place of one: with a place for images or documents, one for each of them."""
        places = {_SYSTEM: question.system, "{prompt}": self._prompt(question), "{id}": question.id}
        if argument in places:  # exactly, so that a prompt which names a place is not filled again
            yield places[argument]
        elif _IMAGE in argument:
            yield from (argument.replace(_IMAGE, str(image.path.resolve())) for image in question.all_images)
        elif _DOCUMENT in argument:
            yield from (argument.replace(_DOCUMENT, str(path.resolve())) for path in question.files)
        elif _OUTPUT in argument and folder is not None:
            yield argument.replace(_OUTPUT, str(folder))
        else:
            yield argument

    def _prompt(self, question: ReadQuestion) -> str:
        """Return the text of the prompt, behind the system text if that has no place of its own."""
        if not question.system or _SYSTEM in self._argv:
            return question.transcript
        return f"{question.system}\n\n{question.transcript}"


@contextlib.contextmanager
def _output_folder(wanted: bool) -> Iterator[Path | None]:
    """Make an empty folder and remove it afterwards with all that was written in it."""
    if not wanted:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="i2s-output-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _written(folder: Path, most: int) -> bytes:
    """Return the answer that a program wrote below a folder.

    Raises:
        FaultError: There is none, or there are several.
        AnswerTooLongError: It has more than ``most`` bytes.
    """
    answers = sorted(path for path in folder.rglob(f"*{_ANSWER_SUFFIX}") if path.is_file())
    if len(answers) != 1:
        names = ", ".join(str(path.relative_to(folder)) for path in answers[:3])
        said = f"{len(answers)} files *{_ANSWER_SUFFIX}{': ' + names if names else ''}"
        raise FaultError(one_line(f"the program wrote {said} in {_OUTPUT}, and one is its answer"))
    if not answers[0].resolve().is_relative_to(folder.resolve()):
        raise FaultError(f"the program's answer in {_OUTPUT} is a link that leads out of it")
    with answers[0].open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise AnswerTooLongError
    return content


class ProgramOfLines(ModelProvider):
    """Asks a program that stays, in JSON lines; if it ended it is started again.

    Args:
        line: The command line, as the user wrote it.
        argv: The same, split.
        options: Options of the calls.
    """

    vendor = "command"

    def __init__(self, line: str, argv: Sequence[str], options: ModelOptions) -> None:
        self.model, self._options = line, options
        self.parameters = options.parameters
        self._programs = PerLoop(lambda: _LineProgram(argv, options), lambda program: program.close())

    async def ask(self, question: ReadQuestion) -> Answer:
        """Write the question and wait for its line.

        Raises:
            FaultError: The program ended, or its line holds no answer.
            ModelAccessError: It cannot be started.
        """
        parameters = dict(self.parameters)
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
        asked["parts"] = _part_fields(question.parts)
    if question.earlier:
        asked["earlier"] = [
            {"parts": _part_fields(read_exchange.parts), "completion": read_exchange.answer}
            for read_exchange in question.earlier
        ]
    if question.system:
        asked["system"] = question.system
    if question.json_schema is not None:
        asked["json_schema"] = dict(question.json_schema)
    if question.name:
        asked["question"] = question.name
    return asked


def _part_fields(parts: Sequence[ReadPart]) -> list[dict[str, str]]:
    return [{"text": part} if isinstance(part, str) else _image_fields(part) for part in parts]


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

    def __init__(self, argv: Sequence[str], options: ModelOptions) -> None:
        self._argv, self._most_characters = argv, options.completion_characters
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._numbers = itertools.count(1)
        self._open: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def ask(self, question: Mapping[str, object]) -> dict[str, Any]:
        """Return the program's answer to a question."""
        number = str(next(self._numbers))
        stdin = await self._started()
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._open[number] = future
        try:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # its end is being noticed
                stdin.write(json.dumps({"id": number, **question}).encode() + b"\n")
                await stdin.drain()
            return await future
        finally:
            self._open.pop(number, None)

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            await processes.end_program(process, _END_SECONDS)
            if self._reading is not None:
                await asyncio.gather(self._reading, return_exceptions=True)

    async def _started(self) -> asyncio.StreamWriter:
        async with self._starting:
            silent = self._reading is not None and self._reading.done()
            if self._process is None or self._process.returncode is not None or silent:
                await self.close()
                self._process = await processes.start(self._argv)
                self._reading = asyncio.create_task(self._read(self._process))
            assert self._process.stdin is not None
            return self._process.stdin

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        why = "closed its standard output"
        async for line in bounded_lines(processes.chunks(process.stdout, CHUNK), self._most_characters):
            self._take(line)
        with contextlib.suppress(TimeoutError):
            why = f"ended with code {await asyncio.wait_for(process.wait(), 1.0)}"
        for future in self._open.values():
            if not future.done():
                future.set_exception(FaultError(f"the program {why} before it answered"))

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
