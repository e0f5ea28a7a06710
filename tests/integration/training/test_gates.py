"""Answers that show pixels in place of structure, drawn by real engines."""

from __future__ import annotations

import base64
import contextlib
import json

import pytest

from i2s_sdk import Settings
from i2s_sdk.data import read_folder
from i2s_training import Gate, RoundTripReward

pytestmark = pytest.mark.integration


def page(body: str) -> str:
    html = f"<!doctype html><body style='margin:0'>{body}</body>"
    return json.dumps([{"filename": "index.html", "content": html}])


def test_a_page_that_is_the_screenshot_itself_earns_no_more_than_a_blank_one(
    everything_running_without_networks: Settings,
) -> None:
    settings = everything_running_without_networks
    assert settings.examples is not None
    site = next(
        instance for instance in read_folder(settings.examples).instances if instance.task == "webpage"
    )
    assert site.image is not None
    image = site.image.read_bytes()
    screenshot = f'<img src="data:image/png;base64,{base64.b64encode(image).decode()}">'
    answers = [page(screenshot), page(f"{screenshot}<p>Prices</p>"), page("<h1>Prices</h1>")]
    with contextlib.closing(RoundTripReward("webpage", settings=settings)) as reward:
        copied, with_text, honest = reward.judged(answers, {"image": [image] * len(answers)})
    assert copied.result is not None
    assert (copied.result.metrics["ems"] or 0.0) > 0.9
    assert copied.value == with_text.value == 0.01
    assert {gate.gate for gate in copied.gates} == {Gate.EMBEDDED_RASTER, Gate.REFERENCE_COPIED}
    assert [gate.lowers for gate in copied.gates] == [True, True]
    assert [gate.lowers for gate in with_text.gates] == [False, True]
    assert honest.gates == ()
    assert honest.value is not None
    assert honest.value > 0.02
