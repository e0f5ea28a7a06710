"""A program of your own as a model.

Three forms. With ``{image}`` among its arguments the program is started once for each question::

    command:./my-model --picture {image}

``{image}`` is the path of the image; an argument with it is given once for each image of the question, and
left out if there is none.
With ``{document}`` the program is started once for each PDF document, which it answers as a whole::

    command:pdftotext {document} -
    command:marker_single {document} --output_dir {output}

``{document}`` is the path of the document. ``{output}`` is an empty folder that is removed afterwards: a
program with it writes one Markdown file (``*.md``) anywhere below it, which is the completion in place of
what it prints.

In both forms, as arguments of their own, ``{prompt}`` is the text of the prompt, ``{system}``
the system text and ``{id}`` the instance; without ``{system}`` the system text comes before the prompt. The
prompt is on standard input as well. What the program prints is the completion, byte for byte. An exit code
other than 0 is a failure.

Without any of these the program is started once, reads one JSON object a line and writes one a line, in any
order, as many at once as ``concurrency`` allows::

    → {"id": "7", "instance": "eq-1", "prompt": "…", "image": "/…/eq-1.png", "media_type": "image/png",
       "temperature": 0.0, "max_tokens": 2000}
    ← {"id": "7", "completion": "…"}            optional: "tokens_in", "tokens_out", "finish": "length" if the
                                                answer is cut off, "reasoning": reasoning apart from it
    ← {"id": "7", "refused": "why"}             the model would not answer
    ← {"id": "7", "rejected": "why"}            it cannot be asked about this one input; it is not asked twice
    ← {"id": "7", "error": "what went wrong"}   is asked again, like a fault of a server

A question of another form than one text and one image behind it has more fields: ``parts``, ``system``,
``json_schema``, ``question``; docs/models.md lists them.

Its standard error is passed on. At the end its standard input is closed, which tells it to end.
"""

from __future__ import annotations

import shlex
import shutil

from i2s_sdk.errors import UsageError
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.program_lines import ProgramOfLines
from i2s_sdk.models.program_once import DOCUMENT, IMAGE, OUTPUT, PLACES, ProgramPerQuestion
from i2s_sdk.models.provider import Provider

VENDOR = "command"


def command_provider(line: str, options: ModelOptions) -> Provider:
    """Return the provider that a command line means.

    Raises:
        UsageError: The line is no command line, or there is no such program.
    """
    try:
        argv = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"command:{line}: {error}") from None
    if not argv or shutil.which(argv[0]) is None:
        raise UsageError(f"command:{line}: there is no program {argv[0] if argv else ''!r} that can be run")
    places = {place for place in PLACES if any(place in argument for argument in argv)}
    if {IMAGE, DOCUMENT} <= places:
        raise UsageError(f"command:{line}: has {IMAGE} and {DOCUMENT}; a program is given one of the two")
    if OUTPUT in places and DOCUMENT not in places:
        raise UsageError(f"command:{line}: has {OUTPUT} without {DOCUMENT}")
    if places:
        return ProgramPerQuestion(line, argv, options)
    return ProgramOfLines(line, argv, options)
