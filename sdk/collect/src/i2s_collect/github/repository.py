"""The repositories of GitHub: their description, their licence, and their files at one commit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from i2s_collect.candidates import Dropped, Fetched, Licence, Reason, SourceDocument
from i2s_collect.github.api import GithubApi
from i2s_collect.web.answer import SourceStoppedError, Web
from i2s_sdk.instances.site_files import read_repository
from i2s_sdk.json_text import read_json

#: SPDX identifiers of the licences that permit to publish copies, by the key that GitHub's search takes.
REDISTRIBUTABLE = {
    "cc0-1.0": "CC0-1.0",
    "unlicense": "Unlicense",
    "0bsd": "0BSD",
    "mit": "MIT",
    "isc": "ISC",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "apache-2.0": "Apache-2.0",
    "mpl-2.0": "MPL-2.0",
    "cc-by-4.0": "CC-BY-4.0",
    "cc-by-sa-4.0": "CC-BY-SA-4.0",
}

_FULL_NAME = re.compile(r"(?!\.+/)[A-Za-z0-9._-]{1,100}/(?!\.+\Z)[A-Za-z0-9._-]{1,100}")
_SPDX = re.compile(r"[A-Za-z0-9.+-]{1,64}")
_BRANCH = re.compile(r"(?![/.])(?!.*(?:\.\.|//))[^\x00-\x20\x7f~^:?*\[\\]{1,250}")
_NO_LICENCE = "NOASSERTION"


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository that was found."""

    #: Number that GitHub gave it.
    id: int
    #: Owner and name, such as "ann/ann.github.io".
    full_name: str
    #: Name of the account.
    owner: str
    #: The default branch.
    branch: str
    #: Time of creation, UTC.
    created: datetime
    #: Size of the whole repository in kB.
    size: int
    #: Licence as GitHub detected it.
    licence: Licence
    #: Whether it is meant to be copied.
    is_template: bool
    #: Whether it is public, no fork and not archived.
    is_source: bool

    def document(self, **detail: str) -> SourceDocument:
        """Return the repository as a document; ``detail`` is added to its own."""
        return SourceDocument(
            key=self.full_name,
            day=self.created.date(),
            owner=self.owner,
            licence=self.licence,
            title=self.full_name,
            authors=(self.owner,),
            url=f"https://github.com/{self.full_name}",
            detail={"repository": self.id, "branch": self.branch, **detail},
        )


def read_item(item: object) -> Repository:
    """Return the repository of an item of the search.

    Raises:
        ValueError: Something is missing or not what it should be; one line.
    """
    if not isinstance(item, Mapping):
        raise ValueError("is no object")
    name, branch = _text(item, "full_name"), _text(item, "default_branch")
    if not is_full_name(name):
        raise ValueError(f"full_name {name[:100]!r} is no name of a repository")
    if not _BRANCH.fullmatch(branch) or not _is_utf_8(branch):
        raise ValueError(f"default_branch {branch[:100]!r} is no name of a branch")
    return Repository(
        id=_number(item, "id"),
        full_name=name,
        owner=name.partition("/")[0],
        branch=branch,
        created=read_time(_text(item, "created_at")),
        size=_number(item, "size"),
        licence=read_licence(item.get("license")),
        is_template=item.get("is_template") is True,
        is_source=not any(item.get(flag) is True for flag in ("private", "fork", "archived", "disabled")),
    )


def is_full_name(text: str) -> bool:
    """Return whether a text is the name of an owner and a repository, such as "ann/ann.github.io"."""
    return _FULL_NAME.fullmatch(text) is not None


def read_licence(value: object) -> Licence:
    """Return the licence that GitHub detected; an unknown one if it is none that SPDX has."""
    spdx = value.get("spdx_id") if isinstance(value, Mapping) else None
    if not isinstance(spdx, str) or spdx == _NO_LICENCE or not _SPDX.fullmatch(spdx):
        return Licence()
    return licence_of(spdx)


def licence_of(spdx: str) -> Licence:
    """Return the licence of an SPDX identifier."""
    url = f"https://spdx.org/licenses/{spdx}.html"
    return Licence(spdx, url, spdx in REDISTRIBUTABLE.values())


def read_time(text: str) -> datetime:
    """Return a time of the interface in UTC.

    Raises:
        ValueError: It is none.
    """
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{text[:60]!r} is no time") from None


def _text(item: Mapping[str, object], name: str) -> str:
    value = item.get(name)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} {repr(value)[:60]} is no text")
    return value


def _number(item: Mapping[str, object], name: str) -> int:
    value = item.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise ValueError(f"{name} {repr(value)[:60]} is no number")
    return value


def _is_utf_8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # JSON can hold half of a surrogate pair
        return False
    return True


#: The largest archive of a repository that is taken.
MAX_ARCHIVE_BYTES = 20_000_000

#: Statuses of a repository that is gone, empty, or closed for legal reasons.
_GONE = frozenset({404, 409, 410, 422, 451})
_SHA = re.compile(r"[0-9a-f]{40}")
_MAX_COMMIT_BYTES = 20_000_000


def fetch_checkout(
    document: SourceDocument, web: Web, api: GithubApi, max_bytes: int = MAX_ARCHIVE_BYTES
) -> Fetched | Dropped:
    """Return the archive of a repository at the commit of the document, else where its default branch is now.

    Raises:
        BodyTooLargeError: The archive is larger than ``max_bytes``.
        SourceStoppedError: GitHub does not answer, or names no commit.
    """
    if not is_full_name(document.key) or (document.version and not is_commit(document.version)):
        return Dropped(Reason.MALFORMED, "is no repository, or its version no commit", document.key)
    branch = str(document.detail.get("branch", ""))
    commit = document.version or commit_of(document.key, branch, web, api)
    if isinstance(commit, Dropped):
        return commit
    request = api.ask(f"/repos/{document.key}/tarball/{commit}", max_bytes=max_bytes, expected=_GONE)
    answer = web.get(request)
    if answer.status != 200:
        return Dropped(Reason.GONE, f"the archive is gone or closed ({answer.status})", document.key)
    return Fetched(answer.body, commit, f"https://github.com/{document.key}/tree/{commit}")


def is_commit(text: str) -> bool:
    """Return whether a text is the SHA-1 of a commit, in hexadecimal."""
    return _SHA.fullmatch(text) is not None


def commit_of(repository: str, branch: str, web: Web, api: GithubApi) -> str | Dropped:
    """Return the SHA-1 of the last commit of a branch.

    Raises:
        SourceStoppedError: GitHub does not answer, or names no commit.
    """
    request = api.ask(
        f"/repos/{repository}/commits/{quote(branch, safe='/')}",
        max_bytes=_MAX_COMMIT_BYTES,
        expected=_GONE,
    )
    answer = web.get(request)
    if answer.status != 200:
        return Dropped(Reason.GONE, f"the branch is gone or closed ({answer.status})", repository)
    try:
        body = read_json(answer.body)
    except ValueError:
        body = None
    sha = body.get("sha") if isinstance(body, Mapping) else None
    if isinstance(sha, str) and _SHA.fullmatch(sha):
        return sha
    web.forget(request)
    raise SourceStoppedError(f"{request.url} answered without a commit; run the same command later")


def read_checkout(content: bytes) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files of an archive by their path in the repository, and the names of its links.

    Raises:
        ValueError: It is not an archive, is too large, or a name leads elsewhere.
    """
    files, left_out = read_repository(content)
    tops = {name.partition("/")[0] for name in files}
    if len(tops) == 1 and all("/" in name for name in files):
        (top,) = tops
        files = {name.removeprefix(f"{top}/"): raw for name, raw in files.items()}
    return files, left_out
