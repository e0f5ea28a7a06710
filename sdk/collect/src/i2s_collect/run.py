"""Collects a data set with everything that this needs: the state, the filters and the renderers."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from i2s_client.service_table import DOCUMENTS
from i2s_collect.collecting import COLLECTION, CollectOptions, CollectProgress, DataSetCollection
from i2s_collect.files import ContentFiles
from i2s_collect.filters import PAGE_TASKS, UNDETERMINED, Filters, LanguageIdentifier
from i2s_collect.harm.judges import EndpointImageJudge, ProfanityJudge, TextJudge
from i2s_collect.images.duplicates import KnownPieces, SeenStore
from i2s_collect.recipes import Remade, Remaker, read_recipes, write_reports
from i2s_collect.source import DrawnSource, Source
from i2s_collect.sources import OpenedSource, SourceOptions, open_source, source_named
from i2s_collect.state import DATABASE, CollectionState
from i2s_collect.summary import CollectSummary
from i2s_collect.web.client import HttpWeb, WebCache, checked_contact
from i2s_collect.web.manners import HostGaps, Manners
from i2s_sdk.data.folder import INDEX
from i2s_sdk.errors import UsageError
from i2s_sdk.files import cache_folder
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import open_services, passing_logs
from i2s_sdk.tasks.registry import task_spec
from i2s_wire.metrics.profile import Profile


@dataclass(frozen=True, slots=True)
class Asking:
    """The settings of requests to a source."""

    #: E-mail address or URL of whoever collects, which servers are told. Not needed offline.
    contact: str = ""
    #: Whether only answers are used that were stored before.
    offline: bool = False
    #: Where the interface of the source is; empty is where it is by default.
    base_url: str = ""
    #: Seconds between requests to one host; None is what the source asks for. Less counts only with a
    #: ``base_url``.
    gap: float | None = None
    #: Folder of files that a person has fetched, for sources that do not permit programs to do so.
    given: Path | None = None

    def applied(self, manners: Manners) -> Manners:
        """Return manners with the gap."""
        if self.gap is None:
            return manners
        return replace(manners, gap=self.gap if self.base_url else max(self.gap, manners.gap))


@dataclass(frozen=True, slots=True)
class CollectionPlan:
    """The extent of a collection before it begins."""

    #: Documents in the window that may be fetched.
    documents: int
    #: Requests that were made until now.
    requests: int
    #: Seconds that fetching all of them takes at least, at the gap of the host.
    longest_seconds: float


def collect(
    source: str,
    into: Path | str,
    options: CollectOptions,
    asking: Asking,
    *,
    seen: Path | None = None,
    notify: Callable[[CollectProgress], None] = lambda progress: None,
    settings: Settings | None = None,
) -> CollectSummary:
    """Collect a data set from a source; the same call again goes on where an earlier one ended.

    Args:
        source: Name of a source, such as "github-pages".
        into: Folder of the data set; how it is collected is stored below ``collection``.
        options: What is collected.
        asking: How the source is asked.
        seen: File of fingerprints that collections of several months share; None is one in the folder.
        notify: The function that is told of progress after each document.
        settings: None reads environment and configuration file.

    Raises:
        UsageError: The window is not over, the contact is none, the folder holds another collection or a
            data set that was not collected.
        InUseError: Another process is collecting into it.
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

        async def work() -> CollectSummary:
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
) -> CollectionPlan:
    """Find the documents of the window and return what fetching them would take; see ``collect``."""
    with _Opened(source, Path(into), options, asking, None) as opened:
        opened.collection.discover(opened.state)
        count = sum(1 for _ in opened.state.documents())
        gap = max((manner.gap for manner in opened.manners.values()), default=0.0)
        return CollectionPlan(count, opened.web.requests, count * gap)


def remake(
    recipes: Path,
    into: Path | str,
    asking: Asking,
    *,
    withdrawn: frozenset[str] = frozenset(),
    notify: Callable[[int, int], None] = lambda done, all_: None,
    settings: Settings | None = None,
) -> Remade:
    """Make a data set again from recipes; the same call again goes on where an earlier one ended.

    Args:
        recipes: File of recipes, as `i2s-sdk dataset publish` writes it.
        into: Folder of the data set.
        asking: How the source is asked.
        withdrawn: Ids of documents and instances that must not be used.
        notify: The function that is called with the numbers of recipes that are done, and of all.
        settings: None reads environment and configuration file.

    Raises:
        DataError: The file is none of recipes.
        UsageError: As for ``collect``.
        SourceStoppedError: The source refuses or does not answer; what was fetched is stored.
        StackError: A renderer cannot be started.
        ServiceError: A renderer does not answer.
        WriteError: Something cannot be written.
    """
    settings = settings or Settings.load()
    wanted = [
        recipe for recipe in read_recipes(recipes) if not {recipe.name, recipe.document.key} & withdrawn
    ]
    if not wanted:
        raise UsageError(f"{recipes}: all of its instances are withdrawn")
    folder = Path(into)
    _check_own(folder)
    opened = source_named(
        wanted[0].source, SourceOptions(os.environ, base_url=asking.base_url, given=asking.given)
    )
    web = _web(opened, folder, asking)
    with closing(CollectionState(folder / COLLECTION)) as state, web:
        digest = hashlib.sha256(recipes.read_bytes()).hexdigest()
        state.keep_facts({"source": f"recipes {digest}"})
        files = ContentFiles(state.folder / "files")
        needed = _needed(opened.source, asking)

        async def work() -> Remade:
            with passing_logs() as logs:
                async with open_services(settings, logs, needed) as services:
                    remaker = Remaker(opened.source, web, services.renderers, files, services.documents)
                    facts = {name: str(wanted[0].provenance[name]) for name in ("collected", "collector")}
                    return await remaker.remake(wanted, folder, facts, lambda done: notify(done, len(wanted)))

        remade = run_blocking(work())
        write_reports(state.folder, remade)
        return remade


def _check_own(folder: Path) -> None:
    """Check that a folder is none that holds a data set of somebody else.

    Raises:
        UsageError: It is one.
    """
    if (folder / INDEX).exists() and not (folder / COLLECTION / DATABASE).exists():
        raise UsageError(f"{folder} is a data set that was not collected; name another folder")


def _web(opened: OpenedSource, folder: Path, asking: Asking) -> HttpWeb:
    """Return what asks the servers of a source for the data set of a folder.

    Raises:
        UsageError: The contact is none.
    """
    agent = "" if asking.offline else checked_contact(asking.contact)
    return HttpWeb(
        WebCache(folder / COLLECTION / "http"),
        HostGaps(_hosts()),
        agent,
        version("i2s-sdk"),
        {host: asking.applied(manners) for host, manners in opened.manners.items()},
        others=asking.applied(Manners()),
        offline=asking.offline,
    )


def _filters(task: str, options: CollectOptions) -> Filters:
    """Return the filters of a task.

    Raises:
        UsageError: Languages are wanted of a task without pages, or one of them is not known.
    """
    identifier = LanguageIdentifier() if task in PAGE_TASKS else None
    if options.languages and identifier is None:
        raise UsageError(f"--language is for web pages; instances of task {task} have no natural language")
    if identifier is not None:
        for code in sorted(options.languages - identifier.known - {UNDETERMINED}):
            raise UsageError(f"{code!r} is no language that {identifier.version} knows, such as en")
    texts: list[TextJudge] = [ProfanityJudge()] if task != "music" else []
    texts += [text_judge.open(os.environ) for text_judge in options.text_judges]
    images = [
        EndpointImageJudge(picture_judge.open(os.environ), picture_judge.limit)
        for picture_judge in options.picture_judges
    ]
    return Filters(task, texts, images, options.redistributable, identifier, options.languages)


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
        state = folder / COLLECTION
        _check_own(folder)
        opened = open_source(
            source, SourceOptions(os.environ, options.redistributable, asking.base_url, asking.given)
        )
        self.manners = {host: asking.applied(manners) for host, manners in opened.manners.items()}
        judge = _filters(opened.source.task, options)
        self.web = _web(opened, folder, asking)
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
        self.collection = DataSetCollection(folder, opened.source, self.web, judge, self._known, options)

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
    return cache_folder("collect-hosts")
