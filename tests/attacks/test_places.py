"""Services of an ordinary user and in containers withstand the attacks of the security suite."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest

from attack_places import chosen_parts


@pytest.mark.parametrize("name", chosen_parts())
def test_attacks_are_held(recordings: dict[str, Future[Path]], name: str) -> None:
    recordings[name].result()
