"""Web pages from repositories of GitHub Pages: search, licences, archives at a commit, filters of files."""

from i2s_collect.github.api import TOKEN_VARIABLE, GithubApi, GithubWaits
from i2s_collect.github.pages import GithubPagesSource

__all__ = ["TOKEN_VARIABLE", "GithubApi", "GithubPagesSource", "GithubWaits"]
