"""The descriptions of the gateway: OpenAPI 3.1 of the contract and its comments, and a page for people."""

from __future__ import annotations

import functools
import json
import re
import shlex
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from i2s_client.service_table import RENDERERS, WIRE_NAMES
from i2s_gateway.episode_description import (
    EPISODE_SCHEMAS,
    EPISODES_PATH,
    OPENING_EXAMPLE,
    SUMMARY,
    episode_paths,
)
from i2s_gateway.messages import TEXT, descriptor_of, is_text_for, messages_below
from i2s_gateway.operations import OPERATIONS, PREFIX, Operation
from i2s_gateway.reward_description import (
    LINES,
    REWARD_PATH,
    REWARD_REQUESTS,
    REWARD_SCHEMAS,
    RewardRequest,
)
from i2s_wire.contract import contract

_ABOUT = """The services of i2s for clients that speak HTTP and JSON.

Bodies are the messages of the gRPC contract in the JSON mapping of Protocol Buffers. Bytes are base64; for
every field of bytes in a request there is one of text, with "_text" after its name. Fields that are left
out have their default. What a source did wrong is a verdict in an answer with status 200; a status from 400
on says that there is no answer, and why."""

_SCALARS: dict[int, dict[str, Any]] = {
    FieldDescriptor.CPPTYPE_STRING: {"type": "string"},
    FieldDescriptor.CPPTYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.CPPTYPE_INT32: {"type": "integer"},
    FieldDescriptor.CPPTYPE_UINT32: {"type": "integer", "minimum": 0},
    FieldDescriptor.CPPTYPE_INT64: {"type": ["string", "integer"], "format": "int64"},
    FieldDescriptor.CPPTYPE_UINT64: {"type": ["string", "integer"], "format": "uint64"},
    # "NaN" and "Infinity" have no other form in JSON.
    FieldDescriptor.CPPTYPE_DOUBLE: {"type": ["number", "string"]},
    FieldDescriptor.CPPTYPE_FLOAT: {"type": ["number", "string"]},
}

_JSON = "application/json"
_ERROR = "Error"
_SECURITY: list[dict[str, list[str]]] = [{}, {"token": []}]
_HEALTH = {"type": "string", "enum": ["SERVING", "NOT_SERVING", "UNREACHABLE"]}

_STATUSES = {
    "400": "The request is wrong; the message names the field.",
    "401": "No or wrong credentials.",
    "403": "Credentials that may not do this, or a web page that is not let in.",
    "404": "There is no such path or service.",
    "408": "The body took too long to arrive.",
    "413": "The body is too large.",
    "415": "The body is not JSON by its header.",
    "429": "The queue is full; Retry-After says when to come back.",
    "500": "A fault of the gateway or the service; the log has the reason.",
    "501": "The service cannot do this.",
    "503": "The service is starting, ending or cannot be reached; Retry-After says when to come back.",
    "504": "There was no answer in time.",
}
_OF_EVERY_GET = ("403", "500")


@functools.cache
def openapi() -> dict[str, Any]:
    """Return the description."""
    requests = {
        descriptor.full_name
        for row in OPERATIONS
        for descriptor in messages_below(descriptor_of(row.method.request))
    }
    answers = [descriptor_of(row.method.response) for row in OPERATIONS]
    answers += [_describe(name) for name in WIRE_NAMES]
    known = {
        descriptor.full_name: descriptor
        for root in (*(descriptor_of(row.method.request) for row in OPERATIONS), *answers)
        for descriptor in messages_below(root)
    }
    enums = {
        field.enum_type.full_name: field.enum_type
        for descriptor in known.values()
        for field in descriptor.fields
        if field.enum_type is not None
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "i2s", "version": version("i2s-sdk"), "description": _ABOUT},
        "security": _SECURITY,
        "paths": {
            **_pages(),
            **{operation.path: {"post": _operation(operation)} for operation in OPERATIONS},
            **{reward_request.path: {"post": _reward(reward_request)} for reward_request in REWARD_REQUESTS},
            **episode_paths(_errors(_STATUSES)),
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                **{
                    name: _message(descriptor, takes_text=name in requests)
                    for name, descriptor in sorted(known.items())
                },
                **{name: _enum(enum) for name, enum in sorted(enums.items())},
                **REWARD_SCHEMAS,
                **EPISODE_SCHEMAS,
                _ERROR: _error(),
            },
        },
    }


def _reward(request: RewardRequest) -> dict[str, Any]:
    body = {"schema": _ref(request.body), "example": request.example}
    content: dict[str, Any] = {_JSON: {"schema": _ref(request.answer)}}
    if request.path == REWARD_PATH:
        lines = [_ref("RewardAnswer"), _ref("RewardTotals"), _ref(_ERROR)]
        content[LINES] = {"schema": {"anyOf": lines}}
    missing = "References are not here; error.missing has their digests."
    errors = {
        **_errors(_STATUSES),
        "409": {"description": missing, "content": {_JSON: {"schema": _ref(_ERROR)}}},
    }
    return {
        "operationId": request.path.removeprefix(f"{PREFIX}/"),
        "summary": request.summary,
        "description": request.about,
        "requestBody": {"required": True, "content": {_JSON: body}},
        "responses": {"200": {"description": "The answer.", "content": content}, **errors},
    }


def _operation(operation: Operation) -> dict[str, Any]:
    about = contract().comments[f"{operation.wire_name}.{operation.rpc}"]
    ok: dict[str, Any] = {_JSON: {"schema": _ref(descriptor_of(operation.method.response).full_name)}}
    described: dict[str, Any] = {
        "operationId": operation.path.removeprefix(f"{PREFIX}/"),
        "summary": operation.summary,
        "description": about,
        "requestBody": {
            "required": True,
            "content": {
                _JSON: {
                    "schema": _ref(descriptor_of(operation.method.request).full_name),
                    "example": operation.example,
                }
            },
        },
    }
    responses: dict[str, Any] = {"200": {"description": "The answer.", "content": ok}}
    if operation.makes_pictures:
        ok["image/png"] = {}
        responses["200"]["description"] = "The answer; its first picture if Accept names image/png."
        responses["422"] = {
            "description": "A picture was asked for, and the verdict is that there is none.",
            "content": {_JSON: {"schema": _ref(descriptor_of(operation.method.response).full_name)}},
        }
    if operation.service is None:
        described["parameters"] = [
            {
                "name": "service",
                "in": "query",
                "schema": {"type": "string"},
                "description": "Name of the renderer; by default the one for this kind of source.",
            }
        ]
    return {**described, "responses": {**responses, **_errors(_STATUSES)}}


def _pages() -> dict[str, Any]:
    health = {
        "type": "object",
        "required": ["status", "services"],
        "properties": {
            "status": {"type": "string", "enum": ["SERVING", "NOT_SERVING"]},
            "services": {"type": "object", "additionalProperties": _HEALTH},
        },
    }
    schema = {
        "type": "object",
        "required": ["name", "status"],
        "properties": {"name": {"type": "string"}, "status": _HEALTH},
    }
    services = {"type": "object", "properties": {"services": {"type": "array", "items": schema}}}
    described = {"anyOf": [_ref(_describe(name).full_name) for name in WIRE_NAMES]}
    name = {
        "name": "name",
        "in": "path",
        "required": True,
        "schema": {"type": "string"},
        "example": RENDERERS[0],
    }
    only = "No service serves, or one that was named does not."
    unhealthy = {
        "503": {"description": only, "content": {_JSON: {"schema": health}}},
        **_errors(("404",)),
    }
    wanted = {
        "name": "service",
        "in": "query",
        "schema": {"type": "array", "items": {"type": "string"}},
        "description": "Names of services that have to serve; by default one of all suffices.",
    }
    live = {
        "type": "object",
        "required": ["status"],
        "properties": {"status": {"type": "string", "enum": ["SERVING"]}},
    }
    return {
        f"{PREFIX}/live": _get("live", "Say that the gateway answers, whatever the services do.", live, {}),
        f"{PREFIX}/health": {
            "parameters": [wanted],
            **_get("health", "Say what each service does.", health, unhealthy),
        },
        f"{PREFIX}/services": _get("services", "List the services.", services, {}),
        f"{PREFIX}/services/{{name}}": {
            "parameters": [name],
            **_get(
                "describe",
                "Say what a service is: versions, limits, isolation, metrics.",
                described,
                _errors(("401", "403", "404", "429", "503", "504")),
            ),
        },
    }


def _get(name: str, summary: str, schema: Any, responses: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401
    ok = {"description": "The answer.", "content": {_JSON: {"schema": schema}}}
    all_responses = {"200": ok, **_errors(_OF_EVERY_GET), **responses}
    return {"get": {"operationId": name, "summary": summary, "responses": all_responses}}


def _errors(statuses: Iterable[str]) -> dict[str, Any]:
    content = {_JSON: {"schema": _ref(_ERROR)}}
    return {status: {"description": _STATUSES[status], "content": content} for status in statuses}


def _error() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["status", "message"],
                "properties": {
                    "status": {"type": "string", "description": "Name of the status of gRPC."},
                    "message": {"type": "string", "description": "One sentence for people."},
                    "missing": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "Digests of references that have to be sent again.",
                    },
                    "retry_after_seconds": {
                        "type": "number",
                        "description": "When the same request may be answered.",
                    },
                },
            }
        },
    }


def _message(message: Descriptor, *, takes_text: bool) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for field in message.fields:
        properties[field.name] = _field(field)
        if takes_text and is_text_for(field):
            about = f"{field.name} as text, encoded in UTF-8."
            properties[field.name + TEXT] = {"type": "string", "description": about}
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    paragraphs = [contract().comments.get(message.full_name, "")]
    paragraphs += [
        f"At most one of {', '.join(field.name for field in oneof.fields)}."
        for oneof in message.oneofs
        if len(oneof.fields) > 1
    ]
    if text := "\n\n".join(paragraph for paragraph in paragraphs if paragraph):
        schema["description"] = text
    return schema


def _field(field: FieldDescriptor) -> dict[str, Any]:
    if (entry := field.message_type) is not None and entry.GetOptions().map_entry:
        schema: dict[str, Any] = {
            "type": "object",
            "additionalProperties": _single(entry.fields_by_name["value"]),
        }
    elif field.is_repeated:
        schema = {"type": "array", "items": _single(field)}
    else:
        schema = _single(field)
    if about := contract().comments.get(field.full_name):
        return {**schema, "description": about}
    return schema


def _single(field: FieldDescriptor) -> dict[str, Any]:
    if field.message_type is not None:
        return _ref(field.message_type.full_name)
    if field.enum_type is not None:
        return _ref(field.enum_type.full_name)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return {"type": "string", "contentEncoding": "base64"}
    return dict(_SCALARS[field.cpp_type])


def _enum(enum: EnumDescriptor) -> dict[str, Any]:
    comments = contract().comments
    values = [(value.name, comments.get(f"{enum.full_name}.{value.name}", "")) for value in enum.values]
    lines = [comments.get(enum.full_name, ""), *(f"- {name}: {about}" for name, about in values if about)]
    schema: dict[str, Any] = {"type": "string", "enum": [name for name, _ in values]}
    if text := "\n".join(line for line in lines if line):
        schema["description"] = text
    return schema


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _describe(service: str) -> Descriptor:
    return descriptor_of(contract().method(service, "Describe").response)


_FILE = re.compile(r'"base64:([^"]+)"')


def page(base: str, health: Mapping[str, str]) -> str:
    """Return the page as HTML.

    Args:
        base: URL of the gateway as the caller wrote it, without "/" at its end.
        health: Health of each service.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("i2s_gateway", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        base=base,
        prefix=PREFIX,
        health=health,
        requests=[
            *(
                (
                    operation.path,
                    operation.summary,
                    curl(base + operation.path, operation.example, makes_picture=operation.makes_pictures),
                )
                for operation in OPERATIONS
            ),
            *(
                (
                    reward_request.path,
                    reward_request.summary,
                    curl(base + reward_request.path, reward_request.example),
                )
                for reward_request in REWARD_REQUESTS
            ),
            (EPISODES_PATH, SUMMARY, curl(base + EPISODES_PATH, OPENING_EXAMPLE)),
        ],
    )


def style() -> str:
    """Return the style of the page."""
    return files("i2s_gateway").joinpath("templates", "page.css").read_text("utf-8")


def curl(url: str, body: object, *, makes_picture: bool = False) -> str:
    """Return the command that sends a body to the gateway.

    Args:
        url: Where to.
        body: Value that is sent as JSON; "base64:FILE" stands for the content of a file.
        makes_picture: Whether the image of the answer goes into a file, and not the answer to the terminal.
    """
    lines = [f"curl {shlex.quote(url)}", "-H 'Content-Type: application/json'"]
    if makes_picture:
        lines += ["-H 'Accept: image/png' -o picture.png"]
    text = json.dumps(body)
    names = _FILE.findall(text)
    if not names:
        return " \\\n  ".join([*lines, f"-d {shlex.quote(text)}"])
    pattern = _FILE.sub('"%s"', text.replace("\\", "\\\\").replace("%", "%%"))
    files = [f'"$(base64 -w0 {name})"' for name in names]
    printing = f"printf {shlex.quote(pattern)} {' '.join(files)}"
    return " \\\n  ".join([printing, f"| {lines[0]}", *lines[1:], "-d @-"])
