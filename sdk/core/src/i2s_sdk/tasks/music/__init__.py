"""Sheet music: from a completion to a LilyPond score, and its repairs."""

from i2s_sdk.tasks.music.task import LilypondDocument, MusicTask

__all__ = ["LilypondDocument", "MusicTask"]
