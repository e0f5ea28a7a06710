"""The tables of docs/metrics.md are measured, here."""

from pathlib import Path

import numpy as np
import pytest

from i2s_metrics import registry
from i2s_metrics.decode import decode
from i2s_metrics.memory import Memory
from i2s_metrics.model import Profile
from i2s_metrics.pair import Pair

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
IMAGES = ROOT / "tests" / "fidelity" / "data" / "images"
REFERENCES = {"equation": "eq_0", "web page": "web_white_ref", "dark page": "web_dark222_ref"}
PIXELS = 10_000_000


def moved(picture, by):
    """The content moved right; white comes in."""
    return np.concatenate([np.full_like(picture[:, :by], 255), picture[:, :-by]], axis=1)


CHANGES = {
    "the same": lambda picture: picture,
    "moved right by 1 px": lambda picture: moved(picture, 1),
    "moved right by 8 px": lambda picture: moved(picture, 8),
    "mirrored": lambda picture: np.ascontiguousarray(picture[:, ::-1]),
    "upside down": lambda picture: np.ascontiguousarray(picture[::-1]),
    "inverted": lambda picture: 255 - picture,
    "white": lambda picture: np.full_like(picture, 255),
    "black": np.zeros_like,
}


def table(profile):
    metrics = [registry.find(name, profile) for name in registry.available(profile)]
    references = [decode((IMAGES / f"{name}.png").read_bytes(), PIXELS) for name in REFERENCES.values()]
    memory = Memory(10**9)
    columns = [f"{metric.name}, {kind}" for metric in metrics for kind in REFERENCES]
    lines = [f"| the prediction is | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for name, change in CHANGES.items():
        pairs = [Pair(change(r), r, str(place), memory) for place, r in enumerate(references)]
        values = [f"{round(metric.compute(pair).value, 3) + 0.0:.3f}" for metric in metrics for pair in pairs]
        lines.append(f"| {name} | {' | '.join(values)} |")
    return "\n".join(lines)


@pytest.mark.parametrize("profile", Profile)
def test_the_table_of_a_profile_holds_what_is_measured(profile):
    measured = table(profile)
    assert measured in (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8"), "\n" + measured
