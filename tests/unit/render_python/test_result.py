"""What is read of the result of a program, whatever the program has made of it."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_render_python.result import DrawnFigure, ProgramError, Result, ResultError, read_result

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
)


def test_a_result_is_read():
    content = {
        "total": 2,
        "figures": [{"page": 2, "objects": True}],
        "error": {"type": "NameError", "text": "x", "line": 3, "name": "np"},
        "pixels": [10, 20.5],
        "more": 1,
    }
    assert read_result(json.dumps(content).encode()) == Result(
        total=2,
        figures=(DrawnFigure(page=2, objects=True),),
        error=ProgramError(type="NameError", text="x", line=3, name="np"),
        pixels=(10.0, 20.5),
    )


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
        json.dumps({"total": 1, "figures": [{"page": 1, "objects": True}] * 1001}).encode(),
        json.dumps({"total": 1, "figures": [], "error": {"type": "x", "text": "y" * 5000}}).encode(),
    ],
)
def test_what_is_no_result_is_refused(content):
    with pytest.raises(ResultError):
        read_result(content)


@given(st.binary() | st.dictionaries(st.sampled_from(list(Result.model_fields)), JSON).map(json.dumps))
def test_anything_is_a_result_or_refused(content):
    with contextlib.suppress(ResultError):
        assert isinstance(read_result(content if isinstance(content, bytes) else content.encode()), Result)
