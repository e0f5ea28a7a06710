"""The outermost layer of the application: names of requests, headers, the log, and faults of ours."""

from __future__ import annotations

import asyncio
import logging
import time
from http import HTTPStatus

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from i2s_gateway.answers import request_id_of
from i2s_gateway.guard import GatewayError

_log = logging.getLogger(__name__)

REQUEST_ID_HEADER = "X-Request-ID"

#: What a browser may do with an answer: show it, with the style of the gateway.
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Entry:
    """An ASGI application around the others.

    Args:
        app: The application within.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, whatever happens."""
        if scope["type"] != "http":
            return
        request = Request(scope)
        name, begun, status = request_id_of(request), time.monotonic(), 0

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers.update({**_HEADERS, REQUEST_ID_HEADER: name})
            await send(message)

        try:
            await self._app(scope, receive, send_marked)
        except asyncio.CancelledError:  # the time for requests under way at the end of the gateway is over
            if not status:
                await _ending().response()(scope, receive, send_marked)
        except Exception:
            _log.exception("request %s failed", name)
            if status:
                raise
            await _fault(name).response()(scope, receive, send_marked)
        finally:
            taken = 1000 * (time.monotonic() - begun)
            _log.info("%s %s %s %.0f ms request_id=%s", scope["method"], scope["path"], status, taken, name)


def _ending() -> GatewayError:
    return GatewayError(
        HTTPStatus.SERVICE_UNAVAILABLE, "UNAVAILABLE", "the gateway is ending", retry_after_seconds=1.0
    )


def _fault(name: str) -> GatewayError:
    message = f"a fault of the gateway; its log has the reason, under the name {name}"
    return GatewayError(HTTPStatus.INTERNAL_SERVER_ERROR, "INTERNAL", message)
