"""The application: its routes, their limits and errors, and the entry of each request."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from i2s_gateway.answers import VERDICT_HEADER, answer, json_response, metadata_of, request_id_of
from i2s_gateway.guard import Bodies, GatewayError, Guard
from i2s_gateway.messages import to_json
from i2s_gateway.openapi import openapi, page, style
from i2s_gateway.operations import OPERATIONS, PREFIX, Backends, Operation
from i2s_gateway.settings import GatewaySettings
from i2s_sdk.visible import visible_line

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
            path = visible_line(scope["path"])
            _log.info("%s %s %s %.0f ms request_id=%s", scope["method"], path, status, taken, name)


def _ending() -> GatewayError:
    return GatewayError(
        HTTPStatus.SERVICE_UNAVAILABLE, "UNAVAILABLE", "the gateway is ending", retry_after_seconds=1.0
    )


def _fault(name: str) -> GatewayError:
    message = f"a fault of the gateway; its log has the reason, under the name {name}"
    return GatewayError(HTTPStatus.INTERNAL_SERVER_ERROR, "INTERNAL", message)


#: Returns further routes for the services behind a gateway; bodies are read by what it is given.
FurtherRoutes = Callable[[Backends, Bodies], Sequence[Route]]


def build_app(
    backends: Backends, settings: GatewaySettings, further: Sequence[FurtherRoutes] = ()
) -> ASGIApp:
    """Return the application of a gateway in front of services.

    Args:
        backends: The services.
        settings: The bounds.
        further: What returns routes beside those of the services.
    """
    pages, bodies = _Pages(backends), Bodies(settings)
    operations = _Operations(backends, bodies)
    app: ASGIApp = Starlette(
        routes=[
            Route("/", pages.index),
            Route("/page.css", pages.style),
            Route("/openapi.json", pages.openapi),
            Route(f"{PREFIX}/health", pages.health),
            Route(f"{PREFIX}/services", pages.services),
            Route(f"{PREFIX}/services/{{name}}", pages.service),
            *(Route(one.path, operations.endpoint(one), methods=["POST"]) for one in OPERATIONS),
            *(route for routes in further for route in routes(backends, bodies)),
        ],
        exception_handlers={GatewayError: _say_error, HTTPException: _say_http},
    )
    if settings.origins:
        app = CORSMiddleware(
            app,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", REQUEST_ID_HEADER, "traceparent"],
            expose_headers=[REQUEST_ID_HEADER, VERDICT_HEADER, "Retry-After"],
        )
    return Entry(Guard(app, settings.hosts, settings.origins))


class _Pages:
    """Requests of the method GET."""

    def __init__(self, backends: Backends) -> None:
        self._backends = backends

    async def index(self, request: Request) -> Response:
        health = await self._backends.health()
        return Response(page(str(request.base_url).rstrip("/"), health), media_type="text/html")

    async def style(self, request: Request) -> Response:
        return Response(style(), media_type="text/css")

    async def openapi(self, request: Request) -> Response:
        return json_response(openapi())

    async def health(self, request: Request) -> Response:
        """Say whether all services serve; 503 if one does not, so that a load balancer need not read."""
        health = await self._backends.health()
        serves = all(one == "SERVING" for one in health.values())
        response = json_response({"status": "SERVING" if serves else "NOT_SERVING", "services": health})
        response.status_code = HTTPStatus.OK if serves else HTTPStatus.SERVICE_UNAVAILABLE
        return response

    async def services(self, request: Request) -> Response:
        health = await self._backends.health()
        return json_response({"services": [{"name": name, "status": one} for name, one in health.items()]})

    async def service(self, request: Request) -> Response:
        said = await self._backends.describe(request.path_params["name"], metadata_of(request))
        return json_response(to_json(said))


class _Operations:
    """Requests of the method POST."""

    def __init__(self, backends: Backends, bodies: Bodies) -> None:
        self._backends, self._bodies = backends, bodies

    def endpoint(self, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers requests for an operation."""

        async def ask(request: Request) -> Response:
            return await answer(request, operation, self._backends, self._bodies)

        return ask


async def _say_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, GatewayError)
    return error.response()


async def _say_http(request: Request, error: Exception) -> Response:
    """Say what Starlette refuses: a path that is not there, or a method."""
    assert isinstance(error, HTTPException)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = (error.headers or {}).get("Allow", "")
        message = f"{request.url.path} takes {allowed or 'another method'}, not {request.method}"
        response = GatewayError(error.status_code, "UNIMPLEMENTED", message).response()
        response.headers["Allow"] = allowed
        return response
    message = f"there is no {request.url.path}; {PREFIX}/… and /openapi.json say what there is"
    return GatewayError(error.status_code, "NOT_FOUND", message).response()
