"""What the gateway says of itself: OpenAPI and the page for people."""

import json
import subprocess
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from i2s.render.v1 import render_pb2 as pb
from i2s_gateway.messages import parse_request, to_json
from i2s_gateway.openapi import curl, openapi, page
from i2s_gateway.operations import OPERATIONS

#: A function in place of curl: prints what would be sent.
CURL = 'curl() { while [ $# -gt 1 ]; do shift; done; [ "$1" = @- ] && cat || printf %s "$1"; }'


def references(value):
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "$ref":
                yield inner
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def validator(name):
    resource = Resource.from_contents(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **openapi()}
    )
    registry = Registry().with_resource("urn:gateway", resource)
    return Draft202012Validator({"$ref": f"urn:gateway#/components/schemas/{name}"}, registry=registry)


def test_every_schema_is_one_and_every_reference_leads_somewhere():
    found = openapi()
    for schema in found["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    known = {f"#/components/schemas/{name}" for name in found["components"]["schemas"]}
    assert set(references(found)) <= known
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_every_operation_is_described_in_the_words_of_the_contract():
    paths = openapi()["paths"]
    for operation in OPERATIONS:
        described = paths[operation.path]["post"]
        assert described["summary"] == operation.summary
        assert described["summary"]
    assert {"/v1/health", "/v1/services", "/v1/services/{name}"} <= set(paths)
    properties = openapi()["components"]["schemas"]["i2s.render.v1.RenderRequest"]["properties"]
    assert "Chosen by the caller" in properties["id"]["description"]


def test_requests_may_have_text_for_bytes_and_answers_do_not():
    schemas = openapi()["components"]["schemas"]
    assert "document_text" in schemas["i2s.render.v1.LatexSource"]["properties"]
    assert "png_text" not in schemas["i2s.render.v1.Picture"]["properties"]


def test_messages_and_their_schemas_agree():
    request, answer = validator("i2s.render.v1.RenderRequest"), validator("i2s.render.v1.RenderResponse")
    said = to_json(
        pb.RenderResponse(pictures=[pb.Picture(png=b"x", width=1)], limits=pb.Limits(pixels=2**60))
    )
    answer.validate(said)
    assert not answer.is_valid({**said, "verdict": "VERDICT_FINE"})
    assert not answer.is_valid({**said, "other": 1})
    for operation in OPERATIONS:
        name = operation.method.request.DESCRIPTOR.full_name
        validator(name).validate(dict(operation.example))
    assert not request.is_valid({"latex": {"document_txt": "x"}})


def test_commands_of_the_page_send_what_they_show(tmp_path):
    for operation in OPERATIONS:
        command = curl("http://127.0.0.1:1/", operation.example)
        for name in ("reference.png", "picture.png", "document.pdf"):
            (tmp_path / name).write_bytes(name.encode() * 100)
        script = f"{CURL}\n{command}"
        sent = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, capture_output=True, check=True, timeout=60
        ).stdout
        parsed: Any = parse_request(sent, operation.method.request)
        text = json.dumps(operation.example)
        if "base64:" not in text:
            assert parsed == parse_request(text.encode(), operation.method.request)
        elif operation.rpc == "Score":
            assert parsed.reference.data == b"reference.png" * 100
            assert parsed.prediction.data == b"picture.png" * 100


def test_names_on_the_page_are_escaped():
    shown = page('http://127.0.0.1/"><script>', {"<b>": "SERVING"})
    assert "<script>" not in shown
    assert "<b>" not in shown
