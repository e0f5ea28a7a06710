"""Draw figures and read their objects as the service does."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from PIL import Image

from i2s.render.v1 import figure_pb2
from i2s_render_python.inside.figure_objects.describe import describe
from i2s_render_python.inside.figure_objects.marks import keep_boxes
from i2s_render_python.result import read_figure
from i2s_wire.codec import decode, encode
from i2s_wire.render.figure import Figure

Described = tuple[Figure, np.ndarray]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Drawing], Described]]:
    """Return what draws a figure, and returns its objects and its pixels (rows, columns, 3)."""
    for name in ("bxp", "violin"):
        monkeypatch.setattr(Axes, name, getattr(Axes, name))  # put back afterwards
    keep_boxes()

    def draw(drawing: Drawing) -> Described:
        output = io.BytesIO()
        drawing.savefig(output, format="png")
        content = json.dumps(describe(drawing, 1), allow_nan=False).encode()
        figure = read_figure(content)
        assert decode(encode(figure, figure_pb2.Figure), Figure) == figure
        with Image.open(output) as picture:
            return figure, np.asarray(picture.convert("RGB"))

    with plt.rc_context({"backend": "agg"}), plt.style.context("default"):
        yield draw
    plt.close("all")
