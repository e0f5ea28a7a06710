"""What this host forbids to the sandboxes of jobs, as the installed renderers say it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable

from i2s_sdk.errors import StackError
from i2s_sdk.json_text import read_json
from i2s_sdk.stack.command import child_environment, find_program, program_name

_SECONDS = 60.0


async def forbidden_here(services: Iterable[str]) -> tuple[str, ...]:
    """Return what the host forbids, a line each with what permits it; empty if it forbids nothing.

    The renderers know what their sandboxes are made of; each is asked by its subcommand ``host``, with the
    settings that it would be started with.

    Args:
        services: Names of renderers that are installed here.

    Raises:
        StackError: A renderer does not answer.
    """
    answers = await asyncio.gather(*(_ask(name) for name in services))
    return tuple(dict.fromkeys(line for answer in answers for line in answer))


async def _ask(service: str) -> tuple[str, ...]:
    process = await asyncio.create_subprocess_exec(
        str(find_program(service)),
        "host",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=child_environment(service, os.environ),
    )
    try:
        output, complaint = await asyncio.wait_for(process.communicate(), _SECONDS)
        return tuple(str(one["text"]) for one in read_json(output)["diagnoses"])
    except TimeoutError:
        process.kill()
        await process.wait()
        raise StackError(f"{program_name(service)} host did not answer within {_SECONDS:g} s") from None
    except (ValueError, KeyError, TypeError):
        last = complaint.decode(errors="replace").strip().rpartition("\n")[2] or "nothing that can be read"
        raise StackError(f"{program_name(service)} host answered: {last}") from None
