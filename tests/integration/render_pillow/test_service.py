"""The contract of renderers over one that is written for tests alone and is as small as a renderer can be."""

from pathlib import Path

import pillow_renderer
from i2s_chassis.contract import attacks_of, contract_of
from renderers import PILLOW

MOST_LINES = 100

running, TestContract = contract_of(PILLOW)
attacked, TestAttacks = attacks_of(PILLOW)


def test_a_renderer_takes_at_most_100_lines():
    files = Path(pillow_renderer.__file__).parent.glob("*.py")
    lines = [line for file in files for line in file.read_text().splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES
