"""What a service puts on the wire is what a client reads, whatever it is."""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from i2s.documents.v1 import documents_pb2
from i2s.metrics.v1 import metrics_pb2
from i2s.render.v1 import render_pb2
from i2s_wire.codec import decode, encode
from i2s_wire.documents import Conversions, Converted, DocumentsDescription, Fragment, PageImages
from i2s_wire.documents.conversion import ConversionFailure, FragmentFormat
from i2s_wire.documents.messages import convert_request
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.metrics.score import MetricFailure, MetricResult, Score, SizePolicy
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.resources import Limits

PLAIN = {
    str: st.text(max_size=20),
    int: st.integers(1, 2**32 - 1),
    float: st.floats(-1e9, 1e9),
    bool: st.booleans(),
    bytes: st.binary(max_size=20),
}
#: Fields whose numbers on the wire may be negative.
SIGNED = {"octave": st.integers(-(2**31), 2**31 - 1)}


def values(kind: Any, **given_fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of a type, of all fields where it is a dataclass."""
    if kind in PLAIN:
        return PLAIN[kind]
    if is_dataclass(kind):
        fields = {
            name: SIGNED[name] if name in SIGNED else values(hint)
            for name, hint in get_type_hints(kind).items()
            if name not in given_fields
        }
        return st.builds(kind, **fields, **given_fields)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return st.sampled_from(kind)
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        return st.lists(values(inner[0]), max_size=3).map(tuple)
    if get_origin(kind) is Mapping:
        return st.dictionaries(values(inner[0]), values(inner[1]), max_size=3)
    assert get_origin(kind) is types.UnionType
    assert inner[1] is types.NoneType
    return st.none() | values(inner[0])


def results(**outcome: st.SearchStrategy[Any]) -> st.SearchStrategy[MetricResult]:
    return values(MetricResult, **{"value": st.none(), "failure": st.none(), **outcome})


RESULTS = results(value=PLAIN[float]) | results(failure=values(MetricFailure))
SCORES = values(Score, results=st.lists(RESULTS, max_size=3).map(tuple))


@given(values(Rendering), PLAIN[str])
def test_a_rendering_survives_the_wire(rendering: Rendering, name: str) -> None:
    sent = encode(rendering, render_pb2.RenderResponse, id=name).SerializeToString()
    received = render_pb2.RenderResponse.FromString(sent)
    assert decode(received, Rendering) == rendering
    assert received.id == name


@given(values(Limits))
def test_limits_survive_the_wire(limits: Limits) -> None:
    sent = encode(limits, render_pb2.Limits).SerializeToString()
    assert decode(render_pb2.Limits.FromString(sent), Limits) == limits


@given(
    values(Score, results=st.lists(RESULTS, max_size=3).map(tuple)), st.sampled_from(SizePolicy), PLAIN[str]
)
def test_a_score_survives_the_wire(score: Score, policy: SizePolicy, name: str) -> None:
    sent = encode(score, metrics_pb2.ScoreResponse, id=name, size_policy=policy).SerializeToString()
    received = metrics_pb2.ScoreResponse.FromString(sent)
    assert decode(received, Score) == score
    assert (received.id, received.size_policy) == (name, policy)


CONVERTED = values(Converted, html=PLAIN[str], failure=st.none()) | values(
    Converted, html=st.none(), failure=values(ConversionFailure)
)


@given(values(Conversions, converted=st.lists(CONVERTED, max_size=3).map(tuple)), PLAIN[str])
def test_conversions_survive_the_wire(conversions: Conversions, name: str) -> None:
    sent = encode(conversions, documents_pb2.ConvertResponse, id=name).SerializeToString()
    received = documents_pb2.ConvertResponse.FromString(sent)
    assert decode(received, Conversions) == conversions
    assert received.id == name


@given(values(PageImages), PLAIN[str])
def test_images_of_pages_survive_the_wire(images: PageImages, name: str) -> None:
    sent = encode(images, documents_pb2.DrawPagesResponse, id=name).SerializeToString()
    received = documents_pb2.DrawPagesResponse.FromString(sent)
    assert decode(received, PageImages) == images
    assert received.id == name


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (DocumentsDescription, documents_pb2.DescribeResponse),
        (MetricsDescription, metrics_pb2.DescribeResponse),
        (RendererDescription, render_pb2.DescribeResponse),
    ],
)
@given(data=st.data())
def test_a_description_survives_the_wire(kind: type, message: Any, data: st.DataObject) -> None:
    description = data.draw(values(kind))
    sent = encode(description, message).SerializeToString()
    assert decode(message.FromString(sent), kind) == description


@example(Fragment("a", FragmentFormat.LATEX, "\ud800"))
@given(values(Fragment, text=st.text(st.characters(exclude_categories=()), max_size=20)))
def test_texts_with_lone_surrogates_are_sent_as_they_are(fragment: Fragment) -> None:
    (sent,) = convert_request([fragment]).fragments
    assert sent.text.decode("utf-8", "surrogatepass") == fragment.text
    assert (sent.id, sent.format) == (fragment.id, fragment.format)
