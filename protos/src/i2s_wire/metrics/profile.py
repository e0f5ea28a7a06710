"""The two sets of rules."""

from __future__ import annotations

import enum


class Profile(enum.StrEnum):
    """Which rules a run follows.

    ``paper`` has the definitions as published, done right. ``helm`` has what the released code computes,
    fault for fault, so that numbers can be compared with published ones: for Image2Struct that of the public
    leaderboard v1.0.x. ``reference`` is another name of it, which fits the other benchmarks.
    """

    PAPER = "paper"
    HELM = "helm"

    @classmethod
    def _missing_(cls, value: object) -> Profile | None:
        return cls.HELM if value == "reference" else None
