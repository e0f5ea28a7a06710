"""Music: LilyPond sources from GitHub and Mutopia, and lists of the scores of IMSLP."""

from i2s_collect.music.github_scores import GithubScoresSource
from i2s_collect.music.imslp import ImslpSource, ListedScore, list_scores
from i2s_collect.music.mutopia import MutopiaSource

__all__ = ["GithubScoresSource", "ImslpSource", "ListedScore", "MutopiaSource", "list_scores"]
