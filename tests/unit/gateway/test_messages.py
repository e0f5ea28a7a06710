"""JSON to messages of the contract and back."""

import base64
import json

import pytest

from i2s.metrics.v1 import metrics_pb2
from i2s.render.v1 import render_pb2 as pb
from i2s_gateway.guard import GatewayError
from i2s_gateway.messages import messages_below, parse_request, to_json


def parse(value, kind=pb.RenderRequest):
    return parse_request(json.dumps(value).encode(), kind)


def refusal(value, kind=pb.RenderRequest):
    with pytest.raises(GatewayError) as caught:
        parse_request(value if isinstance(value, bytes) else json.dumps(value).encode(), kind)
    assert (caught.value.http, caught.value.status) == (400, "INVALID_ARGUMENT")
    return caught.value.message


def test_bytes_are_base64_and_have_a_companion_of_text():
    raw = bytes(range(256))
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for text in (encode(raw).decode(), encode(raw).decode().rstrip("=")):
            assert parse({"latex": {"document": text}}).latex.document == raw
    assert parse({"latex": {"document_text": "é\n"}}).latex.document == "é\n".encode()
    assert parse({"site": {"files": [{"path": "a", "content_text": "b"}]}}).site.files[0].content == b"b"


def test_both_forms_of_names_are_understood():
    for name in ("cpu_seconds", "cpuSeconds"):
        assert parse({"limits": {name: 2.5}}).limits.cpu_seconds == 2.5


def test_enums_are_names_and_64_bit_integers_either():
    told = parse(
        {
            "options": {"page": {"crop": "CROP_INK"}},
            "limits": {"memory_bytes": "9007199254740993", "pixels": 7},
        }
    )
    assert told.options.page.crop == pb.CROP_INK
    assert (told.limits.memory_bytes, told.limits.pixels) == (9007199254740993, 7)


def test_null_leaves_a_field_out():
    assert parse({"id": None, "latex": {"document_text": "x"}}) == parse({"latex": {"document_text": "x"}})


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (b"\xff", "the body is not JSON"),
        (b"{", "the body is not JSON"),
        (b"[" * 5000 + b"]" * 5000, "nested deeper than 100"),
        ([], "the body is no object"),
        ({"latex": []}, "latex is no object"),
        ({"latex": {"document": "x y"}}, "latex.document is not base64; text goes into latex.document_text"),
        ({"latex": {"document": "QUJD\n"}}, "latex.document is not base64"),
        ({"latex": {"document": "QUJDR"}}, "latex.document is not base64"),
        ({"latex": {"document": 7}}, "latex.document is not base64"),
        ({"latex": {"document_text": 7}}, "latex.document_text is no text"),
        ({"latex": {"document": "QUJD", "document_text": "ABC"}}, "given twice"),
        ({"latex": {"documnt_text": "x"}}, "no field latex.documnt_text; did you mean document_text?"),
        ({"zzz": 1}, "there is no field zzz; there are id, latex"),
        ({"site": {"files": {}}}, "site.files is no list"),
        ({"site": {"files": [{"pth": "a"}]}}, "site.files[0].pth; did you mean path?"),
        ({"latex": {"document_text": "x"}, "site": {}}, "source"),
        ({"options": {"page": {"crop": "CROP_ALL"}}}, "CROP_ALL"),
        ({"limits": {"inodes": -1}}, "inodes"),
        ({"limits": {"inodes": 1e400}}, "inodes"),
        ({"id": "\ud800"}, "id"),
    ],
)
def test_what_is_no_request_is_refused_and_named(value, told):
    assert told in refusal(value)


def test_a_document_with_half_a_character_is_left_to_the_renderer_whose_verdict_counts():
    assert parse({"latex": {"document_text": "\ud800"}}).latex.document == b"\xed\xa0\x80"


def test_answers_have_all_fields_but_those_that_can_be_absent():
    said = to_json(pb.RenderResponse(verdict=pb.VERDICT_RENDERED, limits=pb.Limits(pixels=2**60)))
    assert said["verdict"] == "VERDICT_RENDERED"
    assert said["pictures"] == []
    assert said["limits"]["pixels"] == str(2**60)
    assert "error" not in said


def test_numbers_that_json_does_not_have_are_texts():
    said = to_json(metrics_pb2.ScoreResponse(wall_seconds=float("inf")))
    assert said["wall_seconds"] == "Infinity"


def test_messages_below_are_each_found_once():
    names = [one.full_name for one in messages_below(pb.RenderRequest.DESCRIPTOR)]
    assert len(set(names)) == len(names)
    assert {"i2s.render.v1.RenderRequest", "i2s.render.v1.File", "i2s.render.v1.ElementQuery"} <= set(names)
