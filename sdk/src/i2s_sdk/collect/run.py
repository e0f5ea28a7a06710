"""Collects a data set with everything that this needs: the state, the filters and the renderers."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from i2s_sdk.collect.collecting import COLLECTION, Collection, CollectOptions, Progress
from i2s_sdk.collect.filters import Filters
from i2s_sdk.collect.harm.profanity import ProfanityJudge
from i2s_sdk.collect.pictures.duplicates import KnownPieces
from i2s_sdk.collect.pictures.seen import SeenStore
from i2s_sdk.collect.source import DrawnSource, Source
from i2s_sdk.collect.sources import SourceOptions, open_source
from i2s_sdk.collect.state import CollectionState
from i2s_sdk.collect.summary import Summary
from i2s_sdk.collect.web.cache import AnswerCache
from i2s_sdk.collect.web.client import HttpWeb, checked_contact
from i2s_sdk.collect.web.manners import HostGaps, Manners
from i2s_sdk.service_table import DOCUMENTS
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.logs import passing_logs
from i2s_sdk.stack.services import open_services
from i2s_sdk.tasks.registry import task_spec
from i2s_wire.metrics.profile import Profile


@dataclass(frozen=True, slots=True)
class Asking:
    """How a source is asked.

    Attributes:
        contact: E-mail address or URL of whoever collects, which servers are told. Not needed offline.
        offline: Whether only answers are used that were stored before.
        base_url: Where the interface of the source is; empty is where it is by default.
        gap: Seconds between requests to one host; None is what the source asks for. Less counts only
            with a ``base_url``.
        given: Folder of files that a person has fetched, for sources that do not permit programs to do so.
    """

    contact: str = ""
    offline: bool = False
    base_url: str = ""
    gap: float | None = None
    given: Path | None = None

    def applied(self, manners: Manners) -> Manners:
        """Return manners with the gap."""
        if self.gap is None:
            return manners
        return replace(manners, gap=self.gap if self.base_url else max(self.gap, manners.gap))


@dataclass(frozen=True, slots=True)
class Planned:
    """What a collection would do.

    Attributes:
        documents: In the window that may be fetched.
        requests: Made for that until now.
        longest_seconds: That fetching all of them would take at least, at the gap of the source's host.
    """

    documents: int
    requests: int
    longest_seconds: float


def collect(
    source: str,
    into: Path | str,
    options: CollectOptions,
    asking: Asking,
    *,
    seen: Path | None = None,
    notify: Callable[[Progress], None] = lambda progress: None,
    settings: Settings | None = None,
) -> Summary:
    """Collect a data set from a source; the same call again goes on where an earlier one ended.

    Args:
        source: Name of a source, such as "github-pages".
        into: Folder of the data set; how it is collected is stored below ``collection``.
        options: What is collected.
        asking: How the source is asked.
        seen: File of fingerprints that collections of several months share; None is one in the folder.
        notify: Is told of progress after each document.
        settings: None reads environment and configuration file.

    Raises:
        UsageError: The window is not over, the contact is none, the folder holds another collection, or
            another process is collecting into it.
        SourceStoppedError: The source refuses or does not answer; what was done is stored.
        NotCachedError: The collection is offline, and not all documents of the window are known.
        StackError: A renderer cannot be started.
        ServiceError: A renderer does not answer.
        WriteError: Something cannot be written.
    """
    settings = settings or Settings.load()
    folder = Path(into)
    with _Opened(source, folder, options, asking, seen) as opened:
        opened.collection.notify = notify
        opened.collection.discover(opened.state)
        needed = _needed(opened.collection.source, asking)

        async def work() -> Summary:
            with passing_logs() as logs:
                async with open_services(settings, logs, needed) as services:
                    return await opened.collection.work(opened.state, services.renderers, services.documents)

        summary = run_blocking(work())
        opened.keep_seen()
        return summary


def plan_collection(
    source: str,
    into: Path | str,
    options: CollectOptions,
    asking: Asking,
) -> Planned:
    """Find the documents of the window and return what fetching them would take; see ``collect``."""
    with _Opened(source, Path(into), options, asking, None) as opened:
        opened.collection.discover(opened.state)
        count = sum(1 for _ in opened.state.documents())
        gap = max((one.gap for one in opened.manners.values()), default=0.0)
        return Planned(count, opened.web.requests, count * gap)


class _Opened:
    """Everything that a collection has open, as a context manager."""

    def __init__(
        self,
        source: str,
        folder: Path,
        options: CollectOptions,
        asking: Asking,
        seen: Path | None,
    ) -> None:
        options.check()
        found = open_source(
            source, SourceOptions(os.environ, options.redistributable, asking.base_url, asking.given)
        )
        self.manners = {host: asking.applied(manners) for host, manners in found.manners.items()}
        agent = "" if asking.offline else checked_contact(asking.contact)
        state = folder / COLLECTION
        self.web = HttpWeb(
            AnswerCache(state / "http"),
            HostGaps(_hosts()),
            agent,
            version("i2s-sdk"),
            self.manners,
            others=asking.applied(Manners()),
            offline=asking.offline,
        )
        self.state = CollectionState(state)
        try:
            if "id" not in self.state.facts():
                self.state.keep_facts({"id": str(uuid.uuid4())})
            self._id = self.state.facts()["id"]
            self._seen = seen or state / "seen.sqlite"
            with closing(SeenStore(self._seen)) as store:
                self._known = KnownPieces(store.load(leave_out=self._id))
        except BaseException:
            self.state.close()
            raise
        task = found.source.task
        judge = Filters(task, [ProfanityJudge()] if task != "music" else [], (), options.redistributable)
        self.collection = Collection(folder, found.source, self.web, judge, self._known, options)

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *error: object) -> None:
        self.state.close()
        self.web.close()

    def keep_seen(self) -> None:
        """Store what was accepted, so that later collections do not accept it again."""
        with closing(SeenStore(self._seen)) as store:
            store.replace(self._id, self._known.added)


def _needed(source: Source, asking: Asking) -> tuple[str, ...]:
    """Return the names of the services that the documents of a source need."""
    if isinstance(source, DrawnSource):
        return (DOCUMENTS,) if asking.given else ()
    task = task_spec(source.task).open(Profile.PAPER).rendering
    assert task is not None, source.task
    return tuple(task.services)


def _hosts() -> Path:
    """Return the folder of the gaps that all collections of this user share."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "i2s" / "collect-hosts"
