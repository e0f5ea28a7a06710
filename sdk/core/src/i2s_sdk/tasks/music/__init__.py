"""Sheet music: from a completion to a LilyPond score, and its repairs."""

from i2s_sdk.tasks.music.document import LilypondDocument
from i2s_sdk.tasks.music.task import MusicTask

__all__ = ["LilypondDocument", "MusicTask"]
