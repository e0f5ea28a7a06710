"""Requests and answers of renderers as bytes that are equal if what they say is equal."""

from __future__ import annotations

from dataclasses import replace

from google.protobuf.message import DecodeError

from i2s.render.v1 import render_pb2 as pb
from i2s_wire.errors import ContractError
from i2s_wire.render import from_wire, to_wire
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import RenderRequest
from i2s_wire.render.request_to_wire import render_request


def request_bytes(request: RenderRequest) -> bytes:
    """Return everything of a request that decides its answer: source, options and limits, but not its id."""
    return render_request(replace(request, id="")).SerializeToString(deterministic=True)


def rendering_bytes(rendering: Rendering) -> bytes:
    """Return an answer as bytes.

    Raises:
        ValueError: A text holds a lone surrogate.
    """
    return to_wire.rendering(rendering).SerializeToString(deterministic=True)


def rendering_from_bytes(content: bytes) -> Rendering:
    """Return the answer that ``rendering_bytes`` wrote.

    Raises:
        ContractError: The bytes are no answer.
    """
    try:
        return from_wire.rendering(pb.RenderResponse.FromString(content))
    except DecodeError as error:
        raise ContractError(f"bytes that are no answer of a renderer: {error}") from None
