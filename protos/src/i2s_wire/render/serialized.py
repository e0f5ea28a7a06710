"""Requests and answers of renderers as bytes that are equal if what they say is equal."""

from __future__ import annotations

from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_wire.codec import decode_bytes, encode
from i2s_wire.render.messages import render_request
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import RenderRequest


def request_bytes(request: RenderRequest) -> bytes:
    """Return everything of a request that decides its answer: source, options and limits, but not its id."""
    return render_request(replace(request, id="")).SerializeToString(deterministic=True)


def rendering_bytes(rendering: Rendering) -> bytes:
    """Return an answer as bytes.

    Raises:
        ValueError: A text holds a lone surrogate.
    """
    return encode(rendering, pb.RenderResponse).SerializeToString(deterministic=True)


def rendering_from_bytes(content: bytes) -> Rendering:
    """Return the answer that ``rendering_bytes`` wrote.

    Raises:
        ContractError: The bytes are not an answer.
    """
    return decode_bytes(content, pb.RenderResponse, Rendering)
