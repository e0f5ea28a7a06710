"""What is read of the result of a program, whatever the program has made of it."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s.render.v1 import figure_pb2
from i2s_chassis.warm.result import ResultError
from i2s_render_python import result
from i2s_render_python.result import (
    DrawnFigure,
    FigureError,
    ProgramError,
    Result,
    read_delivery,
    read_figure,
)
from i2s_wire.codec import decode, encode
from i2s_wire.render.figure import Figure, FigureBox, FigureText, TextRole

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
)


def delivered(result: object, parts: dict[str, bytes] | None = None, token: str = "secret") -> bytes:
    """Return what a process delivers."""
    parts = parts or {}
    sizes = {name: len(content) for name, content in parts.items()}
    return with_head({"token": token, "result": result, "parts": sizes}) + b"".join(parts.values())


def with_head(head: object) -> bytes:
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    return b"%d\n" % len(text) + text


def test_a_result_is_read():
    content = {
        "total": 2,
        "figures": [{"page": 2, "objects": True}],
        "error": {"type": "NameError", "text": "x", "line": 3, "name": "np"},
        "pixels": [10, 20.5],
        "more": 1,
    }
    parts = {"figure-2": b"PNG", "objects-2": b"{}"}
    delivery = read_delivery(delivered(content, parts), "secret")
    assert delivery.result == Result(
        total=2,
        figures=(DrawnFigure(page=2, objects=True),),
        error=ProgramError(type="NameError", text="x", line=3, name="np"),
        pixels=(10.0, 20.5),
    )
    assert (delivery.figure(2), delivery.objects(2)) == (b"PNG", b"{}")
    assert (delivery.figure(1), delivery.objects(1)) == (b"", b"")


NOTHING_DRAWN = {"total": 0, "figures": []}


@pytest.mark.parametrize("token", ["", "guess", "secre", "secret ", "\u00e9"])
def test_a_result_without_the_token_of_its_job_is_refused(token):
    with pytest.raises(ResultError, match="not that of this job"):
        read_delivery(delivered(NOTHING_DRAWN, token=token), "secret")


@pytest.mark.parametrize(
    "content",
    [
        delivered(NOTHING_DRAWN) + b"more",
        delivered(NOTHING_DRAWN, {"figure-1": b"four"})[:-1],
        delivered(NOTHING_DRAWN, {"figure-1": b""}) + delivered(NOTHING_DRAWN),
        b"-1\n" + delivered(NOTHING_DRAWN),
        b"9" * 5000 + b"\n{}",
        "\u0663\n{}".encode(),
        with_head({"token": "secret", "result": NOTHING_DRAWN, "parts": {"figure-1": -4}}),
    ],
)
def test_a_delivery_that_does_not_end_where_it_says_is_refused(content):
    with pytest.raises(ResultError):
        read_delivery(content, "secret")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"total": -1, "figures": []}',
        b'{"total": 1.5, "figures": []}',
        b'{"total": true, "figures": []}',
        b'{"total": 1, "figures": [{"page": 0, "objects": true}]}',
        b'{"total": 1, "figures": [{"page": 1, "objects": 1}]}',
        b'{"total": 1, "figures": [], "error": {"type": "x"}}',
        b'{"total": 1, "figures": [], "pixels": [1]}',
        b'{"total": 1, "figures": [], "pixels": [NaN, 1.0]}',
        b'{"total": 1, "figures": [], "pixels": [1.0, Infinity]}',
        json.dumps({"total": 1, "figures": [{"page": 1, "objects": True}] * 1001}).encode(),
        json.dumps({"total": 1, "figures": [], "error": {"type": "x", "text": "y" * 5000}}).encode(),
    ],
)
def test_what_is_no_result_is_refused(content):
    head = b'{"token": "secret", "parts": {}, "result": ' + content + b"}"
    for whole in (content, with_head(content), with_head(head)):
        with pytest.raises(ResultError):
            read_delivery(whole, "secret")


@given(st.binary() | st.dictionaries(st.sampled_from(list(Result.model_fields)), JSON).map(delivered))
def test_anything_is_a_result_or_refused(content):
    with contextlib.suppress(ResultError):
        assert isinstance(read_delivery(content, "secret").result, Result)


NAMES = st.sampled_from(
    "x y z page dpi axes texts marks box kind role text total colors sizes legend colorbar truncated label "
    "scale first rows width odd".split()
)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["\ud800", 1, 7])
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=20,
)
MARKS = st.lists(st.dictionaries(NAMES, ANYTHING, max_size=5).map(lambda one: {"kind": 1, **one}), max_size=3)
FIGURES = st.fixed_dictionaries({}, optional={"marks": MARKS, "texts": MARKS, "axes": MARKS, "dpi": ANYTHING})


@given(FIGURES | ANYTHING)
def test_any_json_is_refused_or_is_a_figure_that_can_be_sent(value):
    try:
        figure = read_figure(json.dumps(value).encode())
    except FigureError as error:
        assert str(error)
        return
    assert decode(encode(figure, figure_pb2.Figure), Figure) == figure


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_are_a_figure(content):
    try:
        figure = read_figure(content)
    except FigureError as error:
        assert str(error)
        return
    assert isinstance(figure, Figure)


def test_fields_have_the_names_of_the_types():
    content = b'{"page": 2, "axes": [{}], "texts": [{"text": "t", "role": 1, "axes": 0, "box": {"x": 0.5}}]}'
    text = FigureText("t", TextRole.TITLE, 0, FigureBox(0.5))
    assert read_figure(content) == Figure(page=2, axes=read_figure(content).axes, texts=(text,))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"dpi": 1e999}', "not finite"),
        ('{"dpi": NaN}', "not finite"),
        ('{"dpi": true}', "dpi"),
        ('{"page": true}', "page"),
        ('{"page": -1}', "-1"),
        ('{"page": 4294967296}', "4294967296"),
        ('{"marks": [{"kind": 16}]}', "marks.0.kind"),
        ('{"marks": [{}]}', "marks.0.kind"),
        ('{"marks": [{"kind": 1, "axes": 0}]}', "axes that are not there"),
        ('{"texts": [{"text": "\\ud800"}]}', "JSON"),
        ('{"texts": [{"text": "' + "a" * 10_001 + '"}]}', "letters"),
        ('{"marks": [{"kind": 1, "x": [' + "0," * 10_000 + "0]}]}", "items"),
        ("[" * 100_000, "recursion"),
        ("null", "object"),
        ("", "JSON"),
    ],
)
def test_what_is_wrong_is_named(content, said):
    with pytest.raises(FigureError, match=said):
        read_figure(content.encode())


def test_too_many_bytes_are_not_parsed(monkeypatch):
    monkeypatch.setattr(result, "MAX_FIGURE_BYTES", 10)
    with pytest.raises(FigureError, match="11 bytes, more than 10"):
        read_figure(b" " * 11)
