"""Sheet music: from a completion to a LilyPond score, and its repairs."""

from i2s_sdk.tasks.music.score import Score
from i2s_sdk.tasks.music.task import MusicTask

__all__ = ["MusicTask", "Score"]
