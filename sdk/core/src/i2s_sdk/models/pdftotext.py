"""The model ``baseline/pdftotext``: the text of a document, as poppler's program finds it.

The command is ``pdftotext FILE -``, and what it prints is the completion, byte for byte: pages in the order
of reading that poppler assumes, each ended by a form feed. There are no headings, no maths and no tables.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from i2s_sdk.errors import ModelError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.pdf import pdf_fault
from i2s_sdk.models.completion_bound import AnswerTooLongError, bounded_completion
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.processes import run_program
from i2s_sdk.models.provider import one_line
from i2s_sdk.tasks.question import FilePart, Question

_PROGRAM = "pdftotext"
_BYTES = 4  # of UTF-8, at most, for a character
_VERSION_SECONDS = 10.0


class PdfToText(Model):
    """Answers with the text of the document. The program that is installed is used; it reads hostile files.

    Each document has a process of its own with limits of CPU time and memory, which can write no file.

    Args:
        options: Options of models: the limits, and how long a completion may be; None takes the defaults.

    Raises:
        UsageError: The program is not installed.
    """

    name = "baseline/pdftotext"
    whole = True
    concurrency = 4

    def __init__(self, options: ModelOptions | None = None) -> None:
        self._options = options or ModelOptions()
        found = shutil.which(_PROGRAM)
        if found is None:
            raise UsageError(
                f"model {self.name!r} needs poppler's program {_PROGRAM}: "
                "apt-get install poppler-utils, or brew install poppler"
            )
        self._program = found
        self.fingerprint = _version(found)

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the text of the document of a question.

        Raises:
            ModelError: The question has no document, it cannot be read, or the program exceeded a limit.
        """
        documents = [part.path.absolute() for part in question.parts if isinstance(part, FilePart)]
        if len(documents) != 1:
            raise ModelError(f"{self.name} reads one document, and this question has {len(documents)}")
        fault = await asyncio.to_thread(pdf_fault, documents[0])
        if fault:
            raise ModelError(f"document {documents[0].name}: {fault}")
        return await self._read(documents[0])

    async def _read(self, document: Path) -> Completion:
        options = self._options
        limits = str(options.pdftotext_cpu_seconds), str(options.pdftotext_memory_bytes)
        limiter = str(files("i2s_sdk.models").joinpath("limited_program.py"))
        argv = [sys.executable, "-I", "-S", limiter, *limits, self._program]
        try:
            async with asyncio.timeout(options.call_seconds):
                code, out, err = await run_program(
                    [*argv, str(document), "-"], b"", _BYTES * options.completion_characters
                )
        except AnswerTooLongError:
            return Completion("", Finish.TOO_LONG)
        except TimeoutError:
            raise ModelError(f"{_PROGRAM} took more than {options.call_seconds:g} seconds") from None
        if code == -signal.SIGXCPU:
            raise ModelError(
                f"{_PROGRAM} took more than {options.pdftotext_cpu_seconds:g} seconds of CPU time "
                "(--set pdftotext_cpu_seconds=N)"
            )
        if code != 0:
            said = one_line(err.decode("utf-8", "replace")[-300:])
            raise ModelError(f"{_PROGRAM} ended with code {code}{': ' + said if said else ''}")
        text = out.decode("utf-8", "replace")
        return bounded_completion(Completion(text, Finish.STOP), options.completion_characters)


def _version(program: str) -> str:
    """Return the first line of what the program says of itself.

    Raises:
        UsageError: It cannot be run.
    """
    try:
        said = subprocess.run([program, "-v"], capture_output=True, check=False, timeout=_VERSION_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{program} cannot be run: {one_line(error)}") from None
    return one_line((said.stderr or said.stdout).decode("utf-8", "replace").partition("\n")[0])
