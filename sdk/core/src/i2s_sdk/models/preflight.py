"""A small question before a run begins, so that a wrong address, key or name costs nothing else."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from PIL import Image

from i2s_sdk.models.errors import ModelAccessError, ModelFailedError
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import Answer, Provider
from i2s_sdk.models.question import ReadImage, ReadQuestion
from i2s_sdk.models.retrying import RetryingProvider

QUESTION = "Reply with the word OK."
#: Pixels on each side of the image; some servers refuse smaller ones.
_SIDE = 64
#: A server that is not there is not waited for.
_FAILURES = 3


async def preflight(provider: Provider, options: ModelOptions, *, with_image: bool) -> Answer:
    """Ask a provider a small question. What it says does not matter; the caller counts its cost.

    Args:
        provider: The provider that is asked by a single call.
        options: Options of the calls.
        with_image: Whether a small white image is shown as well.

    Returns:
        What came back, whose tokens count in the budget.

    Raises:
        ModelAccessError: There was no answer, for whatever reason.
    """
    parts: tuple[str | ReadImage, ...] = (QUESTION, _image()) if with_image else (QUESTION,)
    few = replace(options, failures=min(_FAILURES, options.failures))
    try:
        asked = await RetryingProvider(provider, few).ask(ReadQuestion("preflight", parts))
    except ModelFailedError as error:
        raise ModelAccessError(
            f"{error.message}. This was a small question before the run, and nothing was begun; "
            "--no-preflight leaves it out"
        ) from None
    return asked.answer


def _image() -> ReadImage:
    file = io.BytesIO()
    Image.new("RGB", (_SIDE, _SIDE), "white").save(file, "PNG")
    return ReadImage(Path("preflight.png"), file.getvalue(), "image/png", _SIDE, _SIDE)
