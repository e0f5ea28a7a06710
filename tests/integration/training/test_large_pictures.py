"""Pictures near the limits: every one is scored or has a verdict, whatever the operators have set."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk import Settings
from i2s_sdk.run.storage.record import Outcome
from i2s_training import RoundTrip
from i2s_wire.render.rendering import Verdict

pytestmark = pytest.mark.integration

METRIC_PIXELS = 2_000_000

_KEEP = """
import asyncio, json, sys
from pathlib import Path
from i2s_sdk.settings import Settings
from i2s_sdk.stack import open_services

async def main():
    names = ("render-latex", "metrics")
    async with open_services(Settings(), Path(sys.argv[1]), names) as services:
        print(json.dumps({name: client.address for name, client in services.clients.items()}), flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def mismatched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoundTrip]:
    """A renderer that makes larger images than the metric service takes, each as its operator set it."""
    nowhere = {name: str(tmp_path_factory.mktemp("none")) for name in ("XDG_CACHE_HOME", "TORCH_HOME")}
    environment = {
        **os.environ,
        **nowhere,
        "I2S_RENDER_LATEX_LIMIT_PIXELS": "60000000",
        "I2S_RENDER_LATEX_STATE_DIR": str(Path("~/.cache/i2s-render-latex").expanduser()),
        "I2S_METRICS_MAX_IMAGE_PIXELS": str(METRIC_PIXELS),
        "I2S_METRICS_MAX_IMAGE_BYTES": "20000",
    }
    if os.geteuid() == 0:
        del environment["I2S_RENDER_LATEX_STATE_DIR"]
    command = [sys.executable, "-c", _KEEP, str(tmp_path_factory.mktemp("logs"))]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as keeper:
        assert keeper.stdin is not None
        assert keeper.stdout is not None
        addresses = json.loads(keeper.stdout.readline())
        settings = Settings(render_latex=addresses["render-latex"], metrics=addresses["metrics"])
        with RoundTrip(settings=settings) as trip:
            yield trip
        keeper.stdin.close()
        keeper.wait(60)


def page(width: int, height: int, body: str = "") -> str:
    """A document of one page of so many pixels, with ink in two corners."""
    points = [side * 72 / 200 for side in (width, height)]
    return rf"""```latex
\documentclass{{article}}
\begin{{document}}
\pdfpagewidth={points[0]}bp \pdfpageheight={points[1] / 0.8}bp
\pdfhorigin=0pt \pdfvorigin=0pt \hoffset=0pt \voffset=0pt
\shipout\vbox to {points[1]}bp{{\offinterlineskip\hrule height 9bp width 9bp {body}\vfil
\hbox to {points[0]}bp{{\hfil\vrule height 9bp width 9bp}}}}
\end{{document}}
```"""


def picture(width: int, height: int) -> bytes:
    output = io.BytesIO()
    drawn = Image.new("RGB", (width, height), "white")
    drawn.paste("black", (0, 0, 9, 9))
    drawn.save(output, "PNG")
    return output.getvalue()


def test_26_million_pixels_are_a_verdict_and_count(trip: RoundTrip) -> None:
    result = trip.judge(picture(300, 200), page(5200, 5000))
    assert (result.outcome, result.verdict) == (Outcome.SCORED, Verdict.PIXEL_LIMIT), result.record.message
    assert set(result.metrics.values()) == {0.0}


def test_what_a_renderer_makes_just_below_its_limit_is_scored(trip: RoundTrip) -> None:
    result = trip.judge(picture(300, 200), page(4500, 4400))
    assert (result.outcome, result.verdict) == (Outcome.SCORED, Verdict.RENDERED), result.record.message
    assert result.record.rendering.width * result.record.rendering.height > 19_000_000
    assert result.metrics["ems"] is not None


def test_a_pair_that_padding_makes_too_large_is_a_verdict(trip: RoundTrip) -> None:
    result = trip.judge(picture(9000, 100), page(400, 4000))
    assert (result.outcome, result.verdict) == (Outcome.SCORED, Verdict.PIXEL_LIMIT), result.record.message
    assert "padded to 9000 x" in result.record.message


def test_limits_that_operators_set_apart_end_in_no_status(mismatched: RoundTrip) -> None:
    results = {
        "small": mismatched.judge(picture(300, 200), page(900, 900)),
        "large": mismatched.judge(picture(300, 200), page(2000, 2000)),
        "noisy": mismatched.judge(picture(300, 200), page(900, 900, NOISE)),
    }
    assert {name: (result.outcome, result.verdict) for name, result in results.items()} == {
        "small": (Outcome.SCORED, Verdict.RENDERED),
        "large": (Outcome.SCORED, Verdict.PIXEL_LIMIT),
        "noisy": (Outcome.SCORED, Verdict.OUTPUT_LIMIT),
    }


NOISE = (
    r"\count1=0 \loop\advance\count1 by 1 \hbox{\kern\pdfuniformdeviate 300 bp"
    r"\vrule width \pdfuniformdeviate 9 bp height .3bp\kern\pdfuniformdeviate 50 bp"
    r"\vrule width \pdfuniformdeviate 9 bp height .3bp}\ifnum\count1<700\repeat"
)
