"""Answers that look alike and are spelt differently, by the real renderer: only ``edit_normal`` sees it."""

from __future__ import annotations

import pytest

from i2s_sdk import render_latex
from i2s_sdk.settings import Settings
from same_pictures import PAIRS

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_both_spellings_have_one_picture(one: str, other: str, running: Settings) -> None:
    pictures = [render_latex(source, settings=running).png for source in (one, other)]
    assert pictures[0] is not None
    assert pictures[0] == pictures[1]
