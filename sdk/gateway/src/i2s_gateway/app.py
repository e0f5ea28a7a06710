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
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from i2s_gateway.answers import VERDICT_HEADER, answer, json_response, metadata_of, request_id_of
from i2s_gateway.guard import Bodies, GatewayError, Guard
from i2s_gateway.measurements import NO_ROUTE, Measurements
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
        routes: Its routes, by which requests are counted.
        measurements: Counts them.
    """

    def __init__(self, app: ASGIApp, routes: Sequence[BaseRoute], measurements: Measurements) -> None:
        self._app, self._routes, self._measurements = app, routes, measurements

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, whatever happens."""
        if scope["type"] != "http":
            return
        request = Request(scope)
        name, begun, status = request_id_of(request), time.monotonic(), 0
        route = self._route(scope)
        self._measurements.request_begins(route)

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
            taken = time.monotonic() - begun
            self._measurements.request_ends(route, status, taken)
            path = visible_line(scope["path"])
            _log.info("%s %s %s %.0f ms request_id=%s", scope["method"], path, status, 1000 * taken, name)

    def _route(self, scope: Scope) -> str:
        matching = (
            route.path for route in self._routes if isinstance(route, Route) and _matches(route, scope)
        )
        return next(matching, NO_ROUTE)


def _matches(route: Route, scope: Scope) -> bool:
    return route.matches(scope)[0] is not Match.NONE


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
    routes = [
        Route("/", pages.index),
        Route("/page.css", pages.style),
        Route("/openapi.json", pages.openapi),
        Route(f"{PREFIX}/live", pages.live),
        Route(f"{PREFIX}/health", pages.health),
        Route(f"{PREFIX}/services", pages.services),
        Route(f"{PREFIX}/services/{{name}}", pages.service),
        *(
            Route(operation.path, operations.endpoint(operation), methods=["POST"])
            for operation in OPERATIONS
        ),
        *(route for more in further for route in more(backends, bodies)),
    ]
    backends.measurements.bodies(lambda: bodies.held, settings.bodies_bytes)
    handlers = {GatewayError: _say_error, HTTPException: _say_http}
    app: ASGIApp = Starlette(routes=routes, exception_handlers=handlers)
    if settings.origins:
        app = CORSMiddleware(
            app,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", REQUEST_ID_HEADER, "traceparent"],
            expose_headers=[REQUEST_ID_HEADER, VERDICT_HEADER, "Retry-After"],
        )
    return Entry(Guard(app, settings.hosts, settings.origins), routes, backends.measurements)


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

    async def live(self, request: Request) -> Response:
        """Say that this process answers, whatever the services do."""
        return json_response({"status": "SERVING"})

    async def health(self, request: Request) -> Response:
        """Say what each service does.

        The status is 503 if none serves, or one of those that ``service`` names does not: a service that is
        away is no reason to send the callers of the others elsewhere.
        """
        health = await self._backends.health()
        named = request.query_params.getlist("service")
        for name in named:
            self._backends.connection(name)  # one that is not here is an error
        all_serve = all(one == "SERVING" for one in health.values())
        some_serve = not health or "SERVING" in health.values()
        response = json_response({"status": "SERVING" if all_serve else "NOT_SERVING", "services": health})
        if not (all(health[name] == "SERVING" for name in named) if named else some_serve):
            response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
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
