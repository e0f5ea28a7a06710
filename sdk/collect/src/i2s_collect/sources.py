"""The sources that can be collected from, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from i2s_collect.arxiv import ArxivSource
from i2s_collect.files import GivenFiles
from i2s_collect.github.api import BASE_URL, GithubApi
from i2s_collect.github.pages import GithubPagesSource
from i2s_collect.music.github_scores import GithubScoresSource
from i2s_collect.music.imslp import ImslpSource
from i2s_collect.music.imslp_api import BASE_URL as IMSLP_URL
from i2s_collect.music.mutopia import MutopiaSource
from i2s_collect.source import Source
from i2s_collect.web.manners import Manners
from i2s_sdk.errors import UnknownNameError, UsageError


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """The options of a source."""

    #: Environment of the process, with secrets such as GITHUB_TOKEN.
    environment: Mapping[str, str]
    #: Whether only documents are wanted whose licence permits to publish copies.
    redistributable: bool = False
    #: Where its interface is; empty is where it is by default.
    base_url: str = ""
    #: Folder of files that a person has fetched, for sources that do not permit programs to do so.
    given: Path | None = None


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """A source, and how its hosts are asked."""

    #: Source of documents.
    source: Source
    #: Manners by host.
    manners: Mapping[str, Manners]


def _github(options: SourceOptions) -> tuple[GithubApi, Mapping[str, Manners]]:
    api = GithubApi.from_environment(options.environment, options.base_url or BASE_URL)
    return api, {urlsplit(api.base_url).netloc: api.manners}


def _pages(options: SourceOptions) -> OpenedSource:
    api, manners = _github(options)
    return OpenedSource(GithubPagesSource(api, options.redistributable), manners)


def _scores(options: SourceOptions) -> OpenedSource:
    api, manners = _github(options)
    return OpenedSource(GithubScoresSource(api, options.redistributable), manners)


def _mutopia(options: SourceOptions) -> OpenedSource:
    api, manners = _github(options)
    return OpenedSource(MutopiaSource(api), manners)


def _arxiv(options: SourceOptions) -> OpenedSource:
    source = ArxivSource.at(options.base_url) if options.base_url else ArxivSource()
    hosts = {urlsplit(url).netloc for url in (source.metadata_url, source.sources_url)}
    return OpenedSource(source, dict.fromkeys(hosts, source.manners))


def _imslp(options: SourceOptions) -> OpenedSource:
    given = GivenFiles(options.given)
    given.check()
    source = ImslpSource(given, options.base_url or IMSLP_URL)
    return OpenedSource(source, {urlsplit(source.base_url).netloc: source.manners})


#: Names of sources, and what opens them.
SOURCES: Mapping[str, Callable[[SourceOptions], OpenedSource]] = {
    "arxiv": _arxiv,
    "github-pages": _pages,
    "imslp": _imslp,
    "music": _scores,
    "mutopia": _mutopia,
}

#: Names of sources whose files a person has to fetch.
GIVEN = frozenset({"imslp"})


def open_source(name: str, options: SourceOptions) -> OpenedSource:
    """Return a source.

    Raises:
        UnknownNameError: There is none of that name.
        UsageError: Files are given to a source that fetches its own, or their folder is not there.
    """
    if name not in SOURCES:
        raise UnknownNameError("source", name, SOURCES)
    if options.given is not None and name not in GIVEN:
        raise UsageError(f"--pdfs is for {', '.join(sorted(GIVEN))}; {name} fetches its documents itself")
    return SOURCES[name](options)


def source_named(name: str, options: SourceOptions) -> OpenedSource:
    """Return the source that has a name in provenances and recipes.

    Raises:
        UnknownNameError: There is none.
        UsageError: As for ``open_source``.
    """
    known = {open_source(source, replace(options, given=None)).source.name: source for source in SOURCES}
    if name not in known:
        raise UnknownNameError("source", name, known)
    return open_source(known[name], options)
