"""Requests to renderers as messages.

There is no way back: a renderer checks a request field by field as it was sent, since the types cannot hold
what it refuses, such as one path twice.
"""

from __future__ import annotations

from i2s.render.v1 import render_pb2 as pb
from i2s_wire.codec import encode
from i2s_wire.render.request import RenderRequest


def render_request(request: RenderRequest) -> pb.RenderRequest:
    """Return a request as a message; groups of options that say nothing are left out."""
    message = encode(request, pb.RenderRequest)
    elements = request.options.site.elements
    if elements is not None and not elements.css:
        message.options.site.elements.interactive = True
    return message
