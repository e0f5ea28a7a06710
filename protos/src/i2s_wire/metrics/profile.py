"""The two rule books."""

from __future__ import annotations

import enum


class Profile(enum.StrEnum):
    """Which rule book a run and its metrics follow.

    ``paper`` has the definitions of Image2Struct as published, done right; ``helm`` has what produced
    the public leaderboard v1.0.x, bug for bug, so that numbers can be compared with it.
    """

    PAPER = "paper"
    HELM = "helm"
