"""What a self-test that fails does to a renderer that starts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from i2s_chassis.errors import StartError
from i2s_chassis.renderer.errors import RendererError

if TYPE_CHECKING:
    from i2s_chassis.telemetry import Telemetry


@contextmanager
def canary_required(telemetry: Telemetry, *errors: type[Exception]) -> Iterator[None]:
    """End the start of a service where its canary is not rendered within the block.

    Args:
        telemetry: Counts the failure.
        errors: What else than a RendererError means that.

    Raises:
        StartError: The same in one line.
    """
    failures: tuple[type[Exception], ...] = (RendererError, *errors)
    try:
        yield
    except failures as error:
        telemetry.self_test_failure("canary")
        raise StartError(str(error)) from None
